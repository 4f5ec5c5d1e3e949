#if Postgres
  import Foundation

  /// The families in tables of PostgreSQL made by hand: one for each entity, and one with the children of each parent in
  /// their order.
  enum FamilyTables {
    static let columns = [
      "id", "boolean", "int16", "int32", "int64", "float", "double", "string", "date", "data", "decimal",
    ]

    /// Checks the tables of the last round, outside of its time, and makes empty ones.
    static func make(
      for families: Families, _ schema: String, _ server: PostgresServer, isRelational: Bool = false
    ) throws {
      if try server.connection.text("SELECT to_regclass('\(schema).parent') IS NOT NULL") == "t" {
        try check(families, in: schema, server)
      }
      try server.drop(schema)
      let attributes = """
        id bigint PRIMARY KEY, boolean boolean, int16 smallint, int32 integer, int64 bigint, float real,
        double double precision, string text, date timestamptz, data bytea, decimal text
        """
      try server.connection.execute(
        """
        CREATE SCHEMA \(schema);
        CREATE TABLE \(schema).parent (\(attributes));
        CREATE TABLE \(schema).child (\(attributes));
        CREATE TABLE \(schema).parent_children (
          parent bigint, position integer, child bigint NOT NULL, PRIMARY KEY (parent, position));
        """)
      if isRelational {
        try server.connection.execute(
          """
          ALTER TABLE \(schema).parent_children ADD FOREIGN KEY (parent) REFERENCES \(schema).parent,
            ADD FOREIGN KEY (child) REFERENCES \(schema).child;
          CREATE INDEX ON \(schema).parent_children (child);
          """)
      }
    }

    private static func check(_ families: Families, in schema: String, _ server: PostgresServer) throws {
      let childCount = families.objectCount - families.parentCount
      for (table, count) in [
        ("parent", families.parentCount), ("child", childCount), ("parent_children", childCount),
      ] {
        let found = try server.connection.count(of: "\(schema).\(table)")
        try WrongOutcome.check(found == count, "\(count) rows of \(table), found \(found)")
      }
    }

    /// Inserts rows of a source, or updates the rows that differ.
    static func upsert(_ table: String, _ source: String) -> String {
      let updates = columns.dropFirst().map { "\($0) = excluded.\($0)" }.joined(separator: ", ")
      return """
        INSERT INTO \(table) (\(columns.joined(separator: ", "))) \(source)
        ON CONFLICT (id) DO UPDATE SET \(updates)
        WHERE (\(table).*) IS DISTINCT FROM (excluded.*)
        """
    }

    static func linkUpsert(_ source: String) -> String {
      """
      INSERT INTO parent_children (parent, position, child) \(source)
      ON CONFLICT (parent, position) DO UPDATE SET child = excluded.child
      WHERE parent_children.child <> excluded.child
      """
    }
  }

  /// The families as `COPY` reads them, and the script of `psql` that imports them.
  struct FamilyCopyText {
    private let parents: String
    private let children: String

    /// - Parameter name: The beginning of the names of the files, which replace those of the same names.
    init(_ families: Families, _ folder: Folder, name: String = "") throws {
      parents = try folder.newPath(name + "parents.txt")
      children = try folder.newPath(name + "children.txt")
      var (ofParents, ofChildren) = (JSONText(capacity: 0), JSONText(capacity: families.json.count))
      for parent in try Parent.decode(Data(families.json)) {
        ofParents.append(rowOf: parent)
        ofParents.append("\n")
        for (position, child) in parent.children.enumerated() {
          ofChildren.append(rowOf: child)
          ofChildren.append("\t")
          ofChildren.append(parent.id)
          ofChildren.append("\t")
          ofChildren.append(position)
          ofChildren.append("\n")
        }
      }
      try Data(ofParents.bytes).write(to: URL(fileURLWithPath: parents))
      try Data(ofChildren.bytes).write(to: URL(fileURLWithPath: children))
    }

    /// Into tables for the transaction alone, which are not logged, and from these into the others.
    func script(_ schema: String) -> String {
      let columns = FamilyTables.columns.joined(separator: ", ")
      return """
        SET search_path = \(schema);
        BEGIN;
        CREATE TEMPORARY TABLE new_parent (LIKE parent) ON COMMIT DROP;
        CREATE TEMPORARY TABLE new_child (LIKE child, parent bigint, position integer) ON COMMIT DROP;
        \\copy new_parent FROM '\(parents)'
        \\copy new_child FROM '\(children)'
        \(FamilyTables.upsert("parent", "SELECT \(columns) FROM new_parent"));
        \(FamilyTables.upsert("child", "SELECT \(columns) FROM new_child"));
        DELETE FROM parent_children l USING (
          SELECT p.id, count(c.id) AS size FROM new_parent p LEFT JOIN new_child c ON c.parent = p.id GROUP BY p.id
        ) n WHERE l.parent = n.id AND l.position >= n.size;
        \(FamilyTables.linkUpsert("SELECT parent, position, id FROM new_child"));
        COMMIT;
        """
    }
  }

  extension JSONText {
    /// Writes the attributes as `COPY` reads them, without the end of the line.
    fileprivate mutating func append(rowOf relative: some Relative) {
      append(relative.id)
      append(relative.boolean ? "\tt\t" : "\tf\t")
      append(relative.int16)
      append("\t")
      append(relative.int32)
      append("\t")
      append(relative.int64)
      append("\t")
      append(relative.float)
      append("\t")
      append(relative.double)
      append("\t")
      for byte in relative.string.utf8 {
        switch byte {
        case UInt8(ascii: "\\"): append("\\\\")
        case UInt8(ascii: "\t"): append("\\t")
        case UInt8(ascii: "\n"): append("\\n")
        case UInt8(ascii: "\r"): append("\\r")
        default: append(byte)
        }
      }
      append("\t")
      // PostgreSQL ignores the quotes.
      append(dateOf: UInt64(relative.date.timeIntervalSince1970))
      append("\t\\\\x")
      for byte in relative.data {
        append(Self.digits[Int(byte >> 4)])
        append(Self.digits[Int(byte & 15)])
      }
      append("\t")
      for byte in relative.decimal.utf8 { append(byte) }
    }

    private static let digits = Array("0123456789abcdef".utf8)
  }
#endif
