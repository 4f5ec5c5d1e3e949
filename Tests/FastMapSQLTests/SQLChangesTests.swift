import FastMapCore
import FastMapSQL
import Testing

/// The stored relationships that changes ask for.
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

  private func links(_ targets: [UInt64]) -> [SQLLink] {
    targets.enumerated().map { SQLLink(position: Int64($0 * 3), target: ObjectID(rawValue: $1)) }
  }

  @Test func onlyTheTargetsThatAChangeSetsAreAskedFor() throws {
    let owners = [
      Owner(1) { $0.setTargets([ObjectID(rawValue: 9)], update: .assign, at: 3) },
      Owner(2) { $0.set(.string("a"), at: 1) },
      Owner(3) { $0.setNull(update: .assign, at: 2) },
      Owner(4) { $0.setNull(update: .replace, at: 2) },
      Owner(5) { $0.setTargets([], update: .merge, at: 3) },
      Owner(6, isNew: true) { $0.setTargets([], update: .replace, at: 3) },
    ]
    let old = SQLOldTargets(of: owners.map(\.change), try binding())
    #expect(old.questions.map(\.owners) == [ids([1, 5]), ids([4])])
    #expect((old.questions.map(\.field), old.questions.map(\.entity)) == ([3, 2], [0, 0]))
    // A database without tables has no targets.
    #expect(SQLOldTargets(of: owners.map(\.change), try SQLCatalog().bind(schema)).questions.isEmpty)
    withExtendedLifetime(owners) {}
  }

  @Test func aReplacedRelationshipRecordsRemovedTargets() throws {
    let owners = [
      Owner(1) {
        $0.setTargets([ObjectID(rawValue: 12), ObjectID(rawValue: 14)], update: .replace, at: 3)
        $0.setTargets([], update: .assign, at: 4)
      },
      Owner(2) {
        $0.setNull(update: .replace, at: 3)
        $0.setTargets([ObjectID(rawValue: 20)], update: .merge, at: 4)
      },
      Owner(3, isNew: true) { $0.setTargets([ObjectID(rawValue: 12)], update: .replace, at: 3) },
    ]
    var batch = ChangeBatch(schema: schema)
    batch.changes = owners.map(\.change)
    let binding = try binding()
    var old = SQLOldTargets(of: batch.changes, binding)
    #expect(old.questions.map(\.field) == [3, 4])
    // A database may answer in any order.
    old.setLinks([links([13, 12, 11, 13]).reversed(), links([15])], to: 0)
    old.setLinks([links([20]), links([20, 21])], to: 1)
    for index in batch.changes.indices { old.recordRemoved(by: index, of: &batch) }
    #expect(batch.removed.map(\.id) == ids([13, 11, 15]))

    #expect(old.listChange(of: 3, by: 0, of: batch).map { Array($0.added) } == ids([12, 14]))
    #expect(old.listChange(of: 3, by: 0, of: batch)?.removedFrom == 0)
    #expect(old.listChange(of: 4, by: 0, of: batch)?.removedFrom == 0)
    #expect(old.listChange(of: 3, by: 1, of: batch)?.removedFrom == 0)
    #expect(old.listChange(of: 4, by: 1, of: batch)?.isEmpty == true)
    #expect(old.listChange(of: 3, by: 2, of: batch).map { Array($0.added) } == ids([12]))
    #expect(old.listChange(of: 4, by: 2, of: batch) == nil)
    #expect(old.links(of: 3, by: 0, of: batch).map(\.target) == ids([13, 12, 11, 13]))
    #expect(old.links(of: 3, by: 2, of: batch).isEmpty)
    withExtendedLifetime(owners) {}
  }
}
