import FastMapCore
import Testing

/// `FastMapDecoder` and `FastMapEncoder`.
@Suite struct CodecTests {
  private func text(_ value: some Encodable) throws -> String {
    try FastMapEncoder().encode(value).withJSON { String(decoding: $0, as: UTF8.self) }
  }

  @Test func valuesComeBackFromTheirJSON() throws {
    let customers = (0..<50).map { Customer.sample($0) }
    let document = try FastMapEncoder().encode(customers)
    try #expect(FastMapDecoder().decode([Customer].self, from: document) == customers)
    try #expect(FastMapDecoder().decode([Customer].self, from: text(customers)) == customers)
  }

  struct Numbers: Codable, Equatable {
    var i8: Int8, u8: UInt8, i64: Int64, u64: UInt64, f: Float, d: Double, b: Bool
  }

  @Test func numbersKeepAllDigits() throws {
    let numbers = Numbers(i8: -128, u8: 255, i64: .min, u64: .max, f: 11.1, d: 0.1, b: true)
    try #expect(
      text(numbers)
        == #"{"i8":-128,"u8":255,"i64":-9223372036854775808,"u64":18446744073709551615,"f":11.1,"d":0.1,"b":true}"#
    )
    try #expect(FastMapDecoder().decode(Numbers.self, from: text(numbers)) == numbers)
    try #expect(FastMapDecoder().decode([Int].self, from: "[5.0, 1e3]") == [5, 1000])
  }

  /// A type that keeps its decoder and its container.
  private struct Keeper: Decodable {
    let decoder: any Decoder, container: KeyedDecodingContainer<Key>
    var list: any UnkeyedDecodingContainer

    enum Key: String, CodingKey { case a, b }

    init(from decoder: any Decoder) throws {
      self.decoder = decoder
      container = try decoder.container(keyedBy: Key.self)
      _ = try container.decode(Int.self, forKey: .a)
      list = try container.nestedUnkeyedContainer(forKey: .b)
    }
  }

  @Test func aDecoderThatIsKeptReadsNullAndNoMemory() throws {
    let json = #"[{"a":1,"b":["x"],"c":2},{"a":2,"b":["y"]}]"#
    for var kept in try FastMapDecoder().decode([Keeper].self, from: json) {
      #expect(!kept.container.contains(.b) && kept.container.allKeys.isEmpty)
      #expect(throws: DecodingError.self) { try kept.container.decode([String].self, forKey: .b) }
      #expect(throws: DecodingError.self) { try kept.decoder.container(keyedBy: Keeper.Key.self) }
      #expect(throws: DecodingError.self) { try kept.list.decode(String.self) }
    }
  }

  @Test func membersAreFoundInAnyOrderAndByAnyName() throws {
    struct Members: Codable, Equatable {
      var a: Int, b: String?, list: [[Int]], nul: Bool

      enum CodingKeys: String, CodingKey { case a, b, list, nul = "n\0l" }
    }
    let members = [
      #""a":1"#, #""b":null"#, #""x":[]"#, #""list":[[1],[]]"#, #""n":false"#, #""n\u0000l":true"#,
    ]
    let expected = Members(a: 1, b: nil, list: [[1], []], nul: true)
    for first in members.indices {
      let rotated = members[first...] + members[..<first]
      for members in [Array(rotated), rotated.reversed()] {
        let json = "[{\(members.joined(separator: ","))}]"
        try #expect(FastMapDecoder().decode([Members].self, from: json) == [expected])
      }
    }
  }

  @Test func aMissingOptionalIsLeftOutAndUnorderedValuesAscend() throws {
    struct Parts: Codable { var none: Int?, set: Set<String>, map: [String: Int], byNumber: [Int: Bool] }
    try #expect(
      text(Parts(none: nil, set: ["c", "a", "b"], map: ["z": 1, "y": 2], byNumber: [7: true, 10: false]))
        == #"{"set":["a","b","c"],"map":{"y":2,"z":1},"byNumber":{"10":false,"7":true}}"#)
    try #expect(text(Parts?.none) == "null")
    try #expect(text(7) == "7")
  }

  @Test(arguments: [
    (#"{"a": {"b": [1, "x"]}}"#, "typeMismatch a.b.Index 1: expected Int, found the string \"x\""),
    (#"{"a": {"b": [1, 1.5]}}"#, "dataCorrupted a.b.Index 1: expected Int, found the number 1.5"),
    (#"{"a": {"b": null}}"#, "valueNotFound a.b: expected Array<Any>, found null"),
    (#"{"a": {}}"#, "keyNotFound b a: the object has no value for \"b\""),
    (#"{"a": []}"#, "typeMismatch a: expected Dictionary<String, Any>, found an array"),
    (#"{"a": {"b": []}, "c": 300}"#, "dataCorrupted c: expected UInt8, found the number 300"),
    (#"{"a": {"b": []}, "d": "z"}"#, "dataCorrupted d: Cannot initialize Letter from invalid String value z"),
  ])
  func errorsHaveTheCodingPath(_ json: String, _ expected: String) {
    struct Outer: Decodable {
      struct Inner: Decodable { var b: [Int] }
      enum Letter: String, Decodable { case a }
      var a: Inner, c: UInt8?, d: Letter?
    }
    func describe(_ name: String, _ context: DecodingError.Context) -> String {
      "\(name) \(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
    }
    var found = "no error"
    do { _ = try FastMapDecoder().decode(Outer.self, from: json) } catch let error as DecodingError {
      switch error {
      case .typeMismatch(_, let context): found = describe("typeMismatch", context)
      case .valueNotFound(_, let context): found = describe("valueNotFound", context)
      case .keyNotFound(let key, let context): found = describe("keyNotFound \(key.stringValue)", context)
      case .dataCorrupted(let context): found = describe("dataCorrupted", context)
      @unknown default: break
      }
    } catch { found = "\(error)" }
    #expect(found == expected)
  }

  @Test func aNumberThatJSONDoesNotHaveIsRefused() {
    let error = #expect(throws: EncodingError.self) { try FastMapEncoder().encode(["a": [1, Double.nan]]) }
    guard case .invalidValue(_, let context)? = error else { return }
    #expect(context.codingPath.map(\.stringValue) == ["a", "Index 1"])
    #expect(context.debugDescription == "JSON has no number for nan")
  }

  // MARK: Types that are written by hand

  class Animal: Codable {
    var name = "a"
    init() {}
  }

  final class Dog: Animal {
    var tail = 1

    enum Keys: CodingKey { case tail, rest }
    override init() { super.init() }
    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Keys.self)
      tail = try container.decode(Int.self, forKey: .tail)
      var rest = try container.nestedUnkeyedContainer(forKey: .rest)
      let inner = try rest.nestedContainer(keyedBy: Keys.self)
      _ = try inner.decode(Bool.self, forKey: .tail)
      #expect(try rest.decodeNil())
      #expect(rest.isAtEnd)
      try super.init(from: container.superDecoder())
    }
    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Keys.self)
      try container.encode(tail, forKey: .tail)
      var rest = container.nestedUnkeyedContainer(forKey: .rest)
      var inner = rest.nestedContainer(keyedBy: Keys.self)
      try inner.encode(true, forKey: .tail)
      try rest.encodeNil()
      try super.encode(to: container.superEncoder())
    }
  }

  @Test func containersNestAndSuperclassesHaveTheirOwn() throws {
    let json = #"{"tail":1,"rest":[{"tail":true},null],"super":{"name":"a"}}"#
    try #expect(text(Dog()) == json)
    let dog = try FastMapDecoder().decode(Dog.self, from: json)
    #expect(dog.name == "a" && dog.tail == 1)
  }

  @Test func aTypeThatThrowsWhileItIsEncodedLeavesNothing() {
    struct Refusal: Error {}
    struct Bad: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode("x")
        throw Refusal()
      }
    }
    #expect(throws: Refusal.self) { try FastMapEncoder().encode([["a": Bad()]]) }
  }
}
