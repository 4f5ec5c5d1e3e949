import FastMapCore
import FastMapSQL
import Testing

/// Groups of changes, and what they need to know of relationships.
@Suite struct SQLChangesTests {
  private let schema = Schema(entities: [
    .init(
      name: "Book",
      fields: [
        .init(name: "id", kind: .attribute(.integer)),
        .init(name: "title", kind: .attribute(.string)),
        .init(name: "author", kind: .toOne(entity: 1, isOwned: false)),
        .init(name: "editions", kind: .toMany(entity: 1, isOwned: false)),
        .init(name: "tags", kind: .toMany(entity: 1, isOwned: false)),
      ], keyKind: .integer),
    .init(name: "Author", fields: [.init(name: "name", kind: .attribute(.string))], keyKind: nil),
  ])

  private func binding() throws -> SQLBinding {
    var catalog = SQLCatalog()
    let names = SQLNames(maximumBytes: 63)
    _ = try catalog.extend(to: schema, tables: names, columns: names)
    return try catalog.bind(schema)
  }

  /// Owns the row of a change.
  private final class Owner {
    var buffer = RowBuffer()
    let change: ObjectChange

    init(
      _ id: UInt64, isNew: Bool = false, entity: Int = 0, keyField: Int? = 0, count: Int = 5,
      _ fill: (inout RowBuffer) -> Void
    ) {
      var buffer = RowBuffer()
      buffer.reset(count: count)
      fill(&buffer)
      change = ObjectChange(
        id: ObjectID(rawValue: id), entity: entity, isNew: isNew, keyField: keyField, row: buffer.row)
      self.buffer = buffer
    }
  }

  private func ids(_ numbers: [UInt64]) -> [ObjectID] { numbers.map { ObjectID(rawValue: $0) } }

  @Test func changesOfOneShapeAreOneGroup() throws {
    let owners = [
      Owner(1) { $0.set(.string("a"), at: 1) },
      Owner(2) { $0.set(.null, at: 1) },
      Owner(3, isNew: true) { $0.set(.string("a"), at: 1) },
      Owner(4) { $0.setTargets([ObjectID(rawValue: 9)], policy: .assign, at: 3) },
      Owner(5) { $0.set(.string("a"), at: 1) },
      Owner(6) {
        $0.set(.integer(6), at: 0)
        $0.set(.string("a"), at: 1)
      },
      Owner(7, keyField: nil) { $0.set(.string("a"), at: 1) },
      Owner(8, entity: 1, keyField: nil, count: 1) { _ in },
    ]
    let changes = owners.map(\.change)
    let groups = SQLChangeGroup.groups(of: changes, try binding())
    #expect(groups.map(\.changes) == [[0, 1, 4], [2], [3], [5], [6], [7]])
    #expect(groups.map(\.fields) == [[1], [1], [], [0, 1], [1], []])
    #expect(groups.map(\.isNew) == [false, true, false, false, false, false])
    #expect(groups.map(\.hasKey) == [true, true, true, true, false, false])
    #expect(groups.map(\.entity) == [0, 0, 0, 0, 0, 1])
    // An entity without a table is in no group.
    #expect(SQLChangeGroup.groups(of: changes, try SQLCatalog().bind(schema)).isEmpty)
    withExtendedLifetime(owners) {}
  }

  @Test func onlyTheTargetsThatAChangeSetsAreAskedFor() throws {
    let owners = [
      Owner(1) { $0.setTargets([ObjectID(rawValue: 9)], policy: .assign, at: 3) },
      Owner(2) { $0.set(.string("a"), at: 1) },
      Owner(3) { $0.setNull(policy: .assign, at: 2) },
      Owner(4) { $0.setNull(policy: .replace, at: 2) },
      Owner(5) { $0.setTargets([], policy: .merge, at: 3) },
      Owner(6, isNew: true) { $0.setTargets([], policy: .replace, at: 3) },
    ]
    let old = SQLOldTargets(of: owners.map(\.change), try binding())
    #expect(old.questions.map(\.owners) == [ids([1, 5]), ids([4])])
    #expect(old.questions.map(\.fields) == [[3], [2]])
    #expect(old.questions.map(\.entity) == [0, 0])
    withExtendedLifetime(owners) {}
  }

  @Test func aReplacedRelationshipNotesWhatItNoLongerHas() throws {
    let owners = [
      Owner(1) {
        $0.setTargets([ObjectID(rawValue: 12), ObjectID(rawValue: 14)], policy: .replace, at: 3)
        $0.setTargets([], policy: .assign, at: 4)
      },
      Owner(2) {
        $0.setNull(policy: .replace, at: 3)
        $0.setTargets([ObjectID(rawValue: 20)], policy: .merge, at: 4)
      },
      Owner(3, isNew: true) { $0.setTargets([ObjectID(rawValue: 12)], policy: .replace, at: 3) },
    ]
    var batch = ChangeBatch(schema: schema)
    batch.changes = owners.map(\.change)
    var old = SQLOldTargets(of: batch.changes, try binding())
    #expect(old.questions.count == 1)
    old.setAnswer([[ids([13, 12, 11, 13]), ids([15])], [ids([20]), ids([20, 21])]], to: 0)
    for index in batch.changes.indices { old.noteRemoved(by: index, of: &batch) }
    #expect(batch.removed.map(\.id) == ids([13, 11, 15]))

    #expect(old.listChange(of: 3, by: 0, of: batch).map { Array($0.added) } == ids([12, 14]))
    #expect(old.listChange(of: 3, by: 0, of: batch)?.removesRest == true)
    #expect(old.listChange(of: 4, by: 0, of: batch)?.removesRest == true)
    #expect(old.listChange(of: 3, by: 1, of: batch)?.removesRest == true)
    #expect(old.listChange(of: 4, by: 1, of: batch)?.isEmpty == true)
    #expect(old.listChange(of: 3, by: 2, of: batch).map { Array($0.added) } == ids([12]))
    #expect(old.listChange(of: 4, by: 2, of: batch) == nil)
    #expect(old.listChange(of: 2, by: 0, of: batch) == nil)
    withExtendedLifetime(owners) {}
  }
}
