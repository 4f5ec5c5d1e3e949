import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import TestSupport
import Testing

/// To-many relationships of hundreds of thousands of targets.
@Suite struct LongListTests {
  private static let mapping = Mapping("List", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("items", Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
  }

  @Test func aLongListIsReadInLinearTime() throws {
    let large = TestSize.count(small: 200_000, whole: 800_000)
    let schema = try Self.mapping.plan().schema
    let times = try growth(from: large / 8, to: large) { count, measure in
      let store = try ScratchStore()
      let ids = try store.write(schema) { writer in
        let (list, item) = (try writer.reserve(of: 0), try writer.reserve(of: 1))
        let targets = [ObjectID](repeating: item, count: count)
        let changes = [
          TestChange(of: list, isNew: true, values: ["id": .integer(1)], targets: ["items": targets]),
          TestChange(of: item, entity: 1, isNew: true, values: ["id": .integer(1)]),
        ]
        try ChangeBatch.lend(changes, in: schema) { batch in
          try writer.apply(&batch)
          try writer.finish(&batch)
        }
        return .commit((list, item))
      }
      var found: [ObjectID] = []
      try measure {
        found = try store.read(schema) { reader in
          try reader.targets(of: [ids.0], entity: 0, fields: [1])[0][0]
        }
      }
      #expect(found.count == count)
      #expect(found.allSatisfy { $0 == ids.1 })
    }
    // The square would be 64.
    #expect(times < 20)
  }
}
