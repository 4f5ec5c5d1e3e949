#if Postgres
  internal import FastMapCore
  internal import FastMapSQL

  extension PostgresStore {
    /// What ``PostgresStore/check()`` has found.
    ///
    ///     let report = try store.check()
    ///     if !report.isSound { report.problems.forEach { print($0) } }
    public struct CheckReport: Equatable, Sendable {
      /// A broken invariant.
      ///
      ///     print(problem.place, problem.detail)
      public struct Problem: Equatable, Sendable, CustomStringConvertible {
        /// The entity, and the field if it is about one.
        public let place: String
        /// What is wrong, with an example.
        public let detail: String

        public var description: String { "\(place): \(detail)" }
      }

      /// One for each entity or field and invariant.
      public internal(set) var problems: [Problem] = []
      /// The number of objects.
      public internal(set) var objectCount = 0
      /// The number of objects with a key.
      public internal(set) var keyCount = 0
      /// The number of targets of to-many relationships.
      public internal(set) var linkCount = 0

      /// Whether there are no problems.
      public var isSound: Bool { problems.isEmpty }
    }

    /// Checks every invariant of the store in one snapshot: columns, indexes, keys, numbers, targets, positions, values, and
    /// the fingerprints of what FastMap has written.
    ///
    /// A fingerprint finds what others have changed in an object. It does not know an object whose last import has left
    /// fields alone or has merged a list.
    ///
    /// On Citus, the statements may see different commits. Check there while nobody writes.
    ///
    /// - Throws: ``PostgresError`` if the server cannot answer, or if there is no store.
    /// - Complexity: O(*n* log *n*) in the objects and links, on the server. Reads all objects in pages of about 8 MiB.
    public func check() throws -> CheckReport {
      try explaining(.read, Schema(entities: [])) {
        try pool.read { connection in
          let layout = try existingLayout(connection)
          var report = CheckReport()
          let sound = checkColumns(of: layout, &report)
          checkCatalog(of: layout, &report)
          try checkSafeguards(of: sound, layout, connection, &report)
          var questions: [(Invariant, Ticket)] = []
          for entity in sound {
            for invariant in try layout.invariants(of: entity) where sound.contains(tablesOf: invariant) {
              questions.append((invariant, try connection.send(Statement(invariant.query))))
            }
          }
          var found: [(Invariant, Answer)] = []
          for (invariant, ticket) in questions {
            found.append((invariant, try connection.answer(to: ticket)))
          }
          for (invariant, answer) in found {
            let count = Int(answer.int8(0, 0))
            switch invariant.meaning {
            case .objects: report.objectCount += count
            case .keys: report.keyCount += count
            case .links: report.linkCount += count
            case .problem(let place, let text):
              guard count > 0 else { continue }
              let example = try layout.name(invariant.example, answer.text(0, 1), connection)
              report.problems.append(
                CheckReport.Problem(place: place, detail: "\(text): \(count), for example \(example)"))
            }
          }
          try TransactionLayout.sendIndexUse(connection)
          for entity in sound {
            var contents = ContentCheck(entity, of: layout, connection)
            for problem in try contents.run() {
              let example = try layout.name(.object(entity), "\(problem.example)", connection)
              report.problems.append(
                CheckReport.Problem(
                  place: problem.place,
                  detail: "\(problem.text): \(problem.count), for example \(example)\(problem.advice)"))
            }
          }
          return report
        }
      }
    }

    /// The tables of the catalog that no read needs.
    private func checkCatalog(of layout: Layout, _ report: inout CheckReport) {
      let tables: [(name: String, columns: [(name: String, typeName: String)])] = [
        ("fastmap_import", [("id", "uuid")]),
        ("fastmap_leftover", [("import", "uuid"), ("entity", "bigint"), ("object", "bigint")]),
      ]
      for table in tables {
        do throws(PostgresError) { try layout.check(table.columns, of: table.name, "") } catch {
          let column = error.column.map { "column \($0): " } ?? ""
          report.problems.append(CheckReport.Problem(place: table.name, detail: column + error.message))
        }
      }
    }

    /// Finds the indexes and constraints that are gone. Other servers may name them otherwise.
    private func checkSafeguards(
      of entities: [SQLCatalog.Entity], _ layout: Layout, _ connection: Connection,
      _ report: inout CheckReport
    ) throws {
      guard server.flavour == .postgres || server.flavour == .citus else { return }
      let answer = try connection.answer(to: layout.foundSafeguards(connection))
      let found = Set((0..<answer.rowCount).map { answer.text($0, 0) })
      for entity in entities {
        for safeguard in layout.safeguards(of: entity) where !found.contains(safeguard.name) {
          report.problems.append(
            CheckReport.Problem(
              place: entity.name,
              detail:
                "somebody else has removed \(safeguard.name); make it again with: \(escaped(safeguard.statement))"
            ))
        }
      }
    }

    /// The entities whose tables are as the catalog says.
    private func checkColumns(of layout: Layout, _ report: inout CheckReport) -> [SQLCatalog.Entity] {
      layout.catalog.entities.filter { entity in
        var expected = [(entity.sqlName, Layout.ownColumns)]
        for field in entity.fields {
          if field.isToMany {
            expected.append((field.sqlName, Layout.linkColumns))
          } else {
            expected[0].1 += layout.columns(of: field)
          }
        }
        do throws(PostgresError) {
          for (table, columns) in expected { try layout.check(columns, of: table, "") }
          return true
        } catch {
          let column = error.column.map { ", column \($0)" } ?? ""
          report.problems.append(
            CheckReport.Problem(
              place: entity.name, detail: "table \(error.table ?? "")\(column): \(error.message)"))
          return false
        }
      }
    }
  }

  /// A question whose first column is a number, of broken places or of objects, and the second an example.
  struct Invariant {
    enum Meaning {
      case objects, keys, links
      case problem(String, String)
    }

    let meaning: Meaning
    let query: String
    /// What its example is.
    var example = Example.value
    /// The entity of the targets, whose table the question uses.
    var target: Int64?
  }

  /// What the example of a problem is.
  enum Example {
    /// A text.
    case value
    /// The number of an object that may be there.
    case object(SQLCatalog.Entity)
    /// The number of a target that is not there.
    case target(SQLCatalog.Field, of: SQLCatalog.Entity)
  }

  extension Layout {
    /// An example in words: with the key of the object, or of the owner of a target.
    fileprivate func name(_ example: Example, _ text: String, _ connection: Connection) throws -> String {
      switch example {
      case .value: return text
      case .object(let entity):
        return try key(of: entity, connection, "t.fastmap_id = $1", text) ?? "fastmap_id \(text)"
      case .target(let field, let entity):
        let condition =
          field.isToMany
          ? "t.fastmap_id = (SELECT min(l.owner) FROM \(qualified(field.sqlName)) l WHERE l.target = $1)"
          : "t.\(field.identifier) = $1"
        let owner = try key(of: entity, connection, condition, text)
        return "fastmap_id \(text)" + (owner.map { " in \(escaped(entity.name)) with \($0)" } ?? "")
      }
    }

    /// The key of the first object for which a condition holds, or its number if it has no key; nil if there is none.
    private func key(
      of entity: SQLCatalog.Entity, _ connection: Connection, _ condition: String, _ number: String
    ) throws -> String? {
      let column = keys[entity.number].map { "t.\(SQLText.identifier($0.column))::text" } ?? "NULL::text"
      var parameters = Parameters()
      parameters.int8(Int64(number) ?? 0)
      let answer = try connection.run(
        Statement(
          "SELECT t.fastmap_id, \(column) FROM \(qualified(entity.sqlName)) t WHERE \(condition) "
            + "ORDER BY t.fastmap_id LIMIT 1", .int8), parameters)
      guard answer.rowCount == 1 else { return nil }
      guard !answer.isNull(0, 1) else { return "fastmap_id \(answer.int8(0, 0))" }
      let key = StoredText.decoded(answer.text(0, 1))
      return "key \(entity.keyKind == .string ? quoted(key) : key)"
    }
  }

  extension [SQLCatalog.Entity] {
    fileprivate func contains(tablesOf invariant: Invariant) -> Bool {
      invariant.target.map { target in contains { $0.number == target } } ?? true
    }
  }

  extension Layout {
    fileprivate func invariants(of entity: SQLCatalog.Entity) throws -> [Invariant] {
      let table = qualified(entity.sqlName)
      func problem(
        _ place: String, _ text: String, _ column: String, _ rows: String,
        _ example: Example = .object(entity),
        target: Int64? = nil
      ) -> Invariant {
        // Ten thousand are as bad as more, and need not be counted.
        Invariant(
          meaning: .problem(place, text),
          query: "SELECT count(*), min(d)::text FROM (SELECT \(column) AS d FROM \(rows) LIMIT 10000) x",
          example: example, target: target)
      }
      var result = [
        Invariant(meaning: .objects, query: "SELECT count(*) FROM \(table)"),
        Invariant(
          meaning: .keys, query: "SELECT count(*) FROM \(table) WHERE fastmap_order IS NULL"),
        problem(
          entity.name, "objects with the shard of another number", "fastmap_id",
          "\(table) WHERE fastmap_shard <> fastmap_id >> 32 OR fastmap_id <= 0"),
        problem(
          entity.name, "numbers of several objects", "fastmap_id",
          "\(table) GROUP BY fastmap_id HAVING count(*) > 1"),
      ]
      if let key = keys[entity.number] {
        let column = SQLText.identifier(key.column)
        let compared = entity.keyKind == .string ? "\(column) COLLATE \"C\"" : column
        result += [
          problem(
            entity.name, "keys of several objects", compared,
            "\(table) WHERE fastmap_order IS NULL GROUP BY \(compared) HAVING count(*) > 1",
            .value),
          problem(
            entity.name, "objects that need a key and have none", "fastmap_id",
            "\(table) WHERE fastmap_order IS NULL AND \(column) IS NULL"),
        ]
      } else {
        result.append(
          problem(
            entity.name, "objects without a key that have no order", "fastmap_id",
            "\(table) WHERE fastmap_order IS NULL"))
      }
      for field in entity.fields {
        let place = "\(entity.name).\(field.name)"
        switch field.kind {
        case .attribute: break
        case .toOne(let target, _):
          let targets = qualified(try catalog.entity(target).sqlName)
          let column = field.identifier
          result.append(
            problem(
              place, "targets that do not exist", "n",
              "(SELECT \(column) AS n FROM \(table) WHERE \(column) IS NOT NULL EXCEPT SELECT fastmap_id FROM \(targets)) y",
              .target(field, of: entity), target: target))
        case .toMany(let target, _):
          let (links, targets) = (qualified(field.sqlName), qualified(try catalog.entity(target).sqlName))
          result += [
            Invariant(meaning: .links, query: "SELECT count(*) FROM \(links)"),
            problem(
              place, "targets that do not exist", "n",
              "(SELECT target AS n FROM \(links) EXCEPT SELECT fastmap_id FROM \(targets)) y",
              .target(field, of: entity), target: target),
            problem(
              place, "owners that do not exist", "n",
              "(SELECT owner AS n FROM \(links) EXCEPT SELECT fastmap_id FROM \(table)) y"),
            problem(
              place, "owners with a position that several targets have", "owner",
              "\(links) GROUP BY owner, position HAVING count(*) > 1"),
            problem(
              place, "owners whose links have another shard, or a position below 0", "owner",
              "\(links) WHERE owner_shard <> owner >> 32 OR position < 0"),
          ]
        }
      }
      return result
    }
  }
#endif
