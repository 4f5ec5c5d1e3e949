#if Postgres
  import FastMapCore
  import FastMapPostgres
  import Foundation

  /// The families in a store of FastMap, and in tables made by hand. Each subject writes them into a file.
  final class StoredPostgresFamilies {
    let workload: PostgresFamilies
    let store: PostgresStore
    let schema: String
    private let folder: Folder

    init(parents: Int, _ folder: Folder) throws {
      workload = try PostgresFamilies(parents: parents, folder)
      let server = workload.server
      store = try server.newStore(server.schema("export"), for: workload.plan)
      _ = try Mapper(store).importJSON(workload.families.json, as: workload.plan)
      schema = server.schema("psql_export")
      try FamilyTables.make(for: workload.families, schema, server)
      try Psql(server.address).run(workload.copyText.script(schema))
      self.folder = folder
      try server.vacuum()
      try server.settle()
    }

    /// A file for a subject.
    ///
    /// - Parameters:
    ///   - last: The file of the last round, which is checked now, and so not timed.
    ///   - lines: The number of lines that it must have.
    func newFile(_ name: String, after last: inout String?, lines: Int) throws -> String {
      if let last {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: last))
        let found = bytes.withUnsafeBytes { $0.reduce(0) { $0 + ($1 == UInt8(ascii: "\n") ? 1 : 0) } }
        try WrongOutcome.check(found == lines, "\(lines) lines of text, found \(found)")
      }
      let file = try folder.newPath(name)
      last = file
      return file
    }
  }

  /// FastMap: all parents with their children as NDJSON.
  final class FastMapPostgresExport: Subject {
    private let stored: StoredPostgresFamilies
    private var last: String?

    init(_ stored: StoredPostgresFamilies) { self.stored = stored }

    func prepare() throws -> () throws -> Int {
      let serializer = Serializer(stored.workload.plan)
      let path = try stored.newFile(
        "fastmap.ndjson", after: &last, lines: stored.workload.families.parentCount)
      try Data().write(to: URL(fileURLWithPath: path))
      guard let file = FileHandle(forWritingAtPath: path) else {
        throw WrongOutcome(description: "\(path) cannot be written")
      }
      let descriptor = file.fileDescriptor
      return { [stored] in
        let report = try stored.store.read(stored.workload.plan.schema) { reader in
          try serializer.export(from: &reader, options: ExportOptions(format: .ndjson)) { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
              let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
              try WrongOutcome.check(count > 0, "space in \(path)")
              rest = rest.dropFirst(count)
            }
          }
        }
        try file.close()
        return report.objects
      }
    }
  }

  /// By hand: `psql` copies both tables, children in the order of their lists.
  final class PsqlExport: Subject {
    private let stored: StoredPostgresFamilies
    private var last: String?

    init(_ stored: StoredPostgresFamilies) { self.stored = stored }

    func prepare() throws -> () throws -> Int {
      let families = stored.workload.families
      let psql = try Psql(stored.workload.server.address)
      let file = try stored.newFile("copy.txt", after: &last, lines: families.objectCount)
      return { [stored] in
        try psql.run(
          """
          SET search_path = \(stored.schema);
          \\o '\(file)'
          COPY (SELECT * FROM parent ORDER BY id) TO STDOUT;
          COPY (SELECT l.parent, l.position, c.* FROM parent_children l JOIN child c ON c.id = l.child
            ORDER BY l.parent, l.position) TO STDOUT;
          \\o
          """)
        return families.parentCount
      }
    }
  }

  /// PostgreSQL's own writer of JSON: one statement with `json_build_object` and `json_agg`.
  final class PsqlJSONExport: Subject {
    private let stored: StoredPostgresFamilies
    private var last: String?

    init(_ stored: StoredPostgresFamilies) { self.stored = stored }

    private static func object(_ row: String, _ more: String = "") -> String {
      let members = [
        "id", "boolean", "int16", "int32", "int64", "float", "double", "string", "decimal",
      ].map { "'\($0)', \(row).\($0)" }.joined(separator: ", ")
      return """
        json_build_object(\(members), 'date', to_char(\(row).date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
          'data', translate(encode(\(row).data, 'base64'), E'\\n', '')\(more))
        """
    }

    func prepare() throws -> () throws -> Int {
      let psql = try Psql(stored.workload.server.address)
      let children = """
        , 'children', (SELECT json_agg(\(Self.object("c")) ORDER BY l.position)
          FROM parent_children l JOIN child c ON c.id = l.child WHERE l.parent = p.id)
        """
      let file = try stored.newFile("rows.json", after: &last, lines: stored.workload.families.parentCount)
      return { [stored] in
        try psql.run(
          """
          SET search_path = \(stored.schema);
          \\pset tuples_only on
          \\pset format unaligned
          \\o '\(file)'
          SELECT \(Self.object("p", children)) FROM parent p ORDER BY p.id;
          \\o
          """)
        return stored.workload.families.parentCount
      }
    }
  }
#endif
