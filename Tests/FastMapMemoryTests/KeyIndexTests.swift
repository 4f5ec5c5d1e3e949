import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapMemory

/// The memory store's index of keys.
@Suite struct KeyIndexTests {
  @Test(arguments: TestSize.cases(Array(0..<20), small: 2))
  func theIndexOfKeysAgreesWithADictionary(round: Int) {
    var numbers = Random(for: "KeyIndexTests, round \(round)")
    var index = KeyIndex()
    var model: [PrimaryKey: ObjectID] = [:]
    var snapshots: [(KeyIndex, [PrimaryKey: ObjectID])] = []
    let spread = Int64.random(in: 10...Int64(TestSize.count(small: 1000, whole: 5000)), using: &numbers)
    for step in 1...TestSize.count(small: 2000, whole: 4000) {
      let number = Int64.random(in: -spread...spread, using: &numbers)
      let key: PrimaryKey = Bool.random(using: &numbers) ? .integer(number) : .string("k\(number)")
      if Int.random(in: 0..<3, using: &numbers) == 0 {
        index.remove(key)
        model[key] = nil
      } else {
        index.insert(ObjectID(rawValue: UInt64(step)), for: key)
        model[key] = ObjectID(rawValue: UInt64(step))
      }
      if step % 1000 == 0 { snapshots.append((index, model)) }
    }
    for (index, model) in snapshots + [(index, model)] {
      for number in -spread...spread {
        #expect(index[.integer(number)] == model[.integer(number)])
        #expect(index[.string("k\(number)")] == model[.string("k\(number)")])
      }
    }
  }

  @Test func theIndexOfKeysTellsStringsApartByTheirBytesAndIntegersFromStrings() {
    var index = KeyIndex()
    for (id, key) in (["\u{E9}", "e\u{301}", "1", 1, "", 0] as [PrimaryKey]).enumerated() {
      index.insert(ObjectID(rawValue: UInt64(id + 1)), for: key)
    }
    #expect((index["\u{E9}"]?.rawValue, index["e\u{301}"]?.rawValue, index["1"]?.rawValue) == (1, 2, 3))
    #expect((index[1]?.rawValue, index[""]?.rawValue, index[0]?.rawValue) == (4, 5, 6))
    #expect(index["0"] == nil)
    #expect(index[.integer(.min)] == nil)
  }
}
