#if Postgres
  import FastMapCore
  import FastMapPostgres
  import Foundation

  extension PostgresFamilies {
    /// The families of every second round: all objects have another number and string.
    fileprivate var changed: Families {
      var shape = families.shape
      shape.changedPerTenThousand = 10_000
      shape.revision = 1
      return Families(shape)
    }
  }

  /// FastMap: JSON text into a store whose objects are all different.
  final class FastMapPostgresUpdate: Subject {
    private let workload: PostgresFamilies
    private let store: PostgresStore
    /// What the next round imports, and what the store has.
    private var payloads: (next: Families, stored: Families)

    init(_ workload: PostgresFamilies) throws {
      self.workload = workload
      payloads = (workload.changed, workload.families)
      store = try workload.server.newStore(workload.server.schema("update"), for: workload.plan)
      _ = try Mapper(store).importJSON(workload.families.json, as: workload.plan)
    }

    func prepare() throws -> () throws -> Int {
      let families = payloads.next
      payloads = (payloads.stored, families)
      try workload.server.vacuum()
      try workload.server.settle()
      return { [workload, store] in
        let report = try Mapper(store).importJSON(families.json, as: workload.plan)
        let updated = report.entities.reduce(0) { $0 + $1.counts.updated }
        try WrongOutcome.check(
          updated == families.objectCount, "\(families.objectCount) updated, found \(updated)")
        return report.rootObjects
      }
    }
  }

  /// By hand: the script of the import into tables whose rows are all different.
  final class PsqlUpdate: Subject {
    private let workload: PostgresFamilies
    private let schema: String
    private var texts: (next: (Families, FamilyCopyText), stored: (Families, FamilyCopyText))

    init(_ workload: PostgresFamilies, _ folder: Folder) throws {
      self.workload = workload
      schema = workload.server.schema("psql_update")
      let changed = workload.changed
      texts = (
        (changed, try FamilyCopyText(changed, folder, name: "changed-")),
        (workload.families, workload.copyText)
      )
      try FamilyTables.make(for: workload.families, schema, workload.server)
      try Psql(workload.server.address).run(workload.copyText.script(schema))
    }

    func prepare() throws -> () throws -> Int {
      try check()
      let next = texts.next
      texts = (texts.stored, next)
      let psql = try Psql(workload.server.address)
      let script = next.1.script(schema)
      try workload.server.vacuum()
      try workload.server.settle()
      return { [workload] in
        try psql.run(script)
        return workload.families.parentCount
      }
    }

    /// Checks the result of the last round.
    private func check() throws {
      guard let child = try Parent.decode(Data(texts.stored.0.json)).last?.children.last else { return }
      let found = try workload.server.connection.text(
        "SELECT string FROM \(schema).child WHERE id = \(child.id)")
      try WrongOutcome.check(found == child.string, "\(child.string), found \(found)")
    }
  }
#endif
