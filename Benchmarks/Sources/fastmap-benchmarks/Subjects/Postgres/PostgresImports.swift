#if Postgres
  import FastMapCore
  import FastMapPostgres
  import Foundation

  /// The families with their text for `COPY`, and a server.
  struct PostgresFamilies {
    let families: Families
    let copyText: FamilyCopyText
    let plan: Plan
    let server: PostgresServer

    init(parents: Int, _ folder: Folder) throws {
      server = try PostgresServer()
      families = Families(Families.Shape(parents: parents))
      copyText = try FamilyCopyText(families, folder)
      plan = try Families.makePlan()
    }
  }

  /// FastMap: JSON text into the empty tables of a new store.
  struct FastMapPostgresImport: Subject {
    let workload: PostgresFamilies

    func prepare() throws -> () throws -> Int {
      let (families, server) = (workload.families, workload.server)
      let store = try server.newStore(server.schema("import"), for: workload.plan)
      // So that a connection of the pool is there.
      try store.read(workload.plan.schema) { _ = try $0.count(of: 0) }
      try server.settle()
      return {
        let report = try Mapper(store).importJSON(families.json, as: workload.plan)
        let inserted = report.entities.reduce(0) { $0 + $1.counts.inserted }
        try WrongOutcome.check(
          inserted == families.objectCount, "\(families.objectCount) inserted, found \(inserted)")
        return report.rootObjects
      }
    }
  }

  /// FastMap: the same JSON text into a store that has it.
  final class FastMapPostgresAgain: Subject {
    private let workload: PostgresFamilies
    private let store: PostgresStore

    init(_ workload: PostgresFamilies) throws {
      self.workload = workload
      store = try workload.server.newStore(workload.server.schema("again"), for: workload.plan)
      _ = try Mapper(store).importJSON(workload.families.json, as: workload.plan)
      try workload.server.vacuum()
    }

    func prepare() throws -> () throws -> Int {
      try workload.server.settle()
      return { [workload, store] in
        let report = try Mapper(store).importJSON(workload.families.json, as: workload.plan)
        try Outcome(changed: 0...0).check(report)
        return report.rootObjects
      }
    }
  }

  /// By hand: `psql` copies ready text into temporary tables, and upserts from them.
  ///
  /// The tables exist and are empty.
  struct PsqlImport: Subject {
    let workload: PostgresFamilies
    /// Whether the tables have foreign keys, and an index that finds the parents of a child.
    var isRelational = false

    func prepare() throws -> () throws -> Int {
      let (families, server) = (workload.families, workload.server)
      let schema = server.schema(isRelational ? "relational" : "psql")
      try FamilyTables.make(for: families, schema, server, isRelational: isRelational)
      let psql = try Psql(server.address)
      let script = workload.copyText.script(schema)
      try server.settle()
      return {
        try psql.run(script)
        return families.parentCount
      }
    }
  }

  /// By hand: the same script again, into tables that have the same rows.
  final class PsqlAgain: Subject {
    private let workload: PostgresFamilies
    private let schema: String

    init(_ workload: PostgresFamilies) throws {
      self.workload = workload
      schema = workload.server.schema("psql_again")
      try FamilyTables.make(for: workload.families, schema, workload.server)
      try Psql(workload.server.address).run(workload.copyText.script(schema))
      try workload.server.vacuum()
    }

    func prepare() throws -> () throws -> Int {
      let psql = try Psql(workload.server.address)
      let script = workload.copyText.script(schema)
      try workload.server.settle()
      return { [workload] in
        try psql.run(script)
        return workload.families.parentCount
      }
    }
  }

  /// `JSONDecoder` into structs, then prepared upserts over one connection, in one transaction.
  struct FoundationPostgres: Subject {
    let workload: PostgresFamilies
    /// Whether statements are sent before the results of earlier ones are there.
    var isPipelined = false

    func prepare() throws -> () throws -> Int {
      let (families, server) = (workload.families, workload.server)
      let schema = server.schema(isPipelined ? "pipeline" : "decoder")
      try FamilyTables.make(for: families, schema, server)
      let connection = try PostgresConnection(server.address)
      try connection.execute("SET search_path = \(schema)")
      let json = Data(families.json)
      try server.settle()
      return {
        let parents = try Parent.decode(json)
        try upsert(parents, connection)
        return parents.count
      }
    }

    private func upsert(_ parents: [Parent], _ connection: PostgresConnection) throws {
      try connection.execute("BEGIN")
      let places = FamilyTables.columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
      for table in ["parent", "child"] {
        try connection.prepare(table, FamilyTables.upsert(table, "VALUES (\(places))"))
      }
      try connection.prepare("link", FamilyTables.linkUpsert("VALUES ($1, $2, $3)"))
      try connection.prepare(
        "rest", "DELETE FROM parent_children WHERE parent = $1 AND position >= $2")
      if isPipelined { try connection.enterPipeline() }
      var row = PostgresRow()
      for parent in parents {
        row.set(parent)
        try run("parent", row, connection)
        for (position, child) in parent.children.enumerated() {
          row.set(child)
          try run("child", row, connection)
          row.set([parent.id, position, child.id])
          try run("link", row, connection)
        }
        row.set([parent.id, parent.children.count])
        try run("rest", row, connection)
      }
      if isPipelined { try connection.leavePipeline() }
      try connection.execute("COMMIT")
    }

    private func run(
      _ statement: String, _ row: borrowing PostgresRow, _ connection: PostgresConnection
    ) throws {
      if isPipelined { try connection.send(statement, row) } else { try connection.run(statement, row) }
    }
  }

  extension PostgresRow {
    fileprivate mutating func set(_ relative: some Relative) {
      removeAll()
      append(relative.id)
      append(relative.boolean ? "t" : "f")
      append(relative.int16)
      append(relative.int32)
      append(relative.int64)
      append(relative.float.description)
      append(relative.double.description)
      append(relative.string)
      append(relative.date)
      append(relative.data)
      append(relative.decimal)
    }

    fileprivate mutating func set(_ numbers: [Int]) {
      removeAll()
      for number in numbers { append(number) }
    }
  }
#endif
