import FastMapCore
import FastMapMemory
import TestSupport
import Testing

/// Numbers exactly halfway between two doubles: the one with an even mantissa is theirs.
@Suite struct ImportTieTests {
  private static let subject = Result {
    try MappingSet(
      file: #"""
        {"fastmap": 1, "mappings": {"T": {
          "primaryKey": "id",
          "attributes": {"id": "integer", "n": "number", "s": {"type": "number", "lenient": true}}}}}
        """#
    ).plan(for: "T")
  }

  /// Ties of 54 bits, times a power of two: all powers of ten for which a text of 19 digits is one.
  private static let ties: [(text: String, value: Double)] = {
    var ties: [(String, Double)] = []
    func add(_ text: String, _ odd: UInt64, _ exponent: Int) {
      let even = odd % 4 == 1 ? odd - 1 : odd + 1
      ties.append((text, Double(sign: .plus, exponent: exponent, significand: Double(even))))
    }
    let least = UInt64(1) << 53
    var power: UInt64 = 1
    for places in 1...4 {
      power *= 5
      for odd in [least + 1, least + 3, least + 1001, least + 4_444_444_444_443] {
        let digits = String(odd * power)
        add(digits.dropLast(places) + "." + digits.suffix(places), odd, -places)
      }
    }
    power = 1
    for exponent in 0...23 {
      let (first, last) = ((least + power - 1) / power | 1, ((least * 2 - 1) / power - 1) | 1)
      for factor in Set([first, first + 2, last]) where factor * power < least * 2 {
        add("\(factor)e\(exponent)", factor * power, exponent)
      }
      if exponent < 23 { power *= 5 }
    }
    return ties
  }()

  @Test func aTieIsTheEvenDouble() throws {
    let store = MemoryStore()
    let plan = try Self.subject.get()
    let objects = Self.ties.enumerated().map { place, tie in
      #"{"id":\#(place),"n":\#(tie.text),"s":"-\#(tie.text)"}"#
    }
    _ = try Mapper(store).importJSON("[\(objects.joined(separator: ","))]", as: plan)
    try store.read(plan) { snapshot in
      for (place, tie) in Self.ties.enumerated() {
        let record = try #require(try snapshot.record("T", key: place))
        #expect(record["n"] == .number(tie.value), "\(tie.text)")
        #expect(record["s"] == .number(-tie.value), "-\(tie.text)")
      }
    }
  }
}
