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

    /// Checks every invariant of the store in one snapshot, with SQL: columns, keys, numbers, targets, positions, values.
    ///
    /// On Citus, the statements may see different commits. Check there while nobody writes.
    ///
    /// - Throws: ``PostgresError`` if the server cannot answer, or if there is no store.
    /// - Complexity: O(*n* log *n*) in the objects and links, on the server.
    public func check() throws -> CheckReport {
      try explaining(.read, Schema(entities: [])) {
        try pool.read { connection in
          let layout = try existingLayout(connection)
          var report = CheckReport()
          let sound = checkColumns(of: layout, &report)
          var questions: [(Invariant, Ticket)] = []
          for entity in sound {
            for invariant in try layout.invariants(of: entity) where sound.contains(tablesOf: invariant) {
              questions.append((invariant, try connection.send(Statement(invariant.query))))
            }
          }
          for (invariant, ticket) in questions {
            let answer = try connection.answer(to: ticket)
            let count = Int(answer.int8(0, 0))
            switch invariant.meaning {
            case .objects: report.objectCount += count
            case .keys: report.keyCount += count
            case .links: report.linkCount += count
            case .problem(let place, let text):
              guard count > 0 else { continue }
              report.problems.append(
                CheckReport.Problem(
                  place: place, detail: "\(text): \(count), for example \(answer.text(0, 1))"))
            }
          }
          return report
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
    /// The entity of the targets, whose table the question uses.
    var target: Int64?
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
        _ place: String, _ text: String, _ column: String, _ rows: String, target: Int64? = nil
      ) -> Invariant {
        // Ten thousand are as bad as more, and need not be counted.
        Invariant(
          meaning: .problem(place, text),
          query: "SELECT count(*), min(d)::text FROM (SELECT \(column) AS d FROM \(rows) LIMIT 10000) x",
          target: target)
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
            "\(table) WHERE fastmap_order IS NULL GROUP BY \(compared) HAVING count(*) > 1"),
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
        case .attribute(let kind):
          guard let condition = columnKind(kind).isForeign(field) else { continue }
          result.append(
            problem(
              place, "objects with a value that FastMap does not write", "fastmap_id",
              "\(table) WHERE \(condition)"))
        case .toOne(let target, _):
          let targets = qualified(try catalog.entity(target).sqlName)
          let column = field.identifier
          result.append(
            problem(
              place, "targets that do not exist", "n",
              "(SELECT \(column) AS n FROM \(table) WHERE \(column) IS NOT NULL EXCEPT SELECT fastmap_id FROM \(targets)) y",
              target: target))
        case .toMany(let target, _):
          let (links, targets) = (qualified(field.sqlName), qualified(try catalog.entity(target).sqlName))
          result += [
            Invariant(meaning: .links, query: "SELECT count(*) FROM \(links)"),
            problem(
              place, "targets that do not exist", "n",
              "(SELECT target AS n FROM \(links) EXCEPT SELECT fastmap_id FROM \(targets)) y", target: target),
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

  extension ColumnKind {
    /// A condition for values that no store writes; nil if the column's type rules them out.
    fileprivate func isForeign(_ field: SQLCatalog.Field) -> String? {
      let (column, exact) = (field.identifier, SQLText.identifier(field.exactName))
      // U+0001 begins a pair, whose second half is U+0001 or U+0002.
      func isMisencoded(_ column: String) -> String {
        "regexp_replace(\(column), chr(1) || '[' || chr(1) || chr(2) || ']', '', 'g') LIKE '%' || chr(1) || '%'"
      }
      switch self {
      case .boolean, .number, .data: return nil
      case .string, .json(isText: true): return isMisencoded(column)
      case .integer: return "\(exact) !~ '^[0-9]{19,20}$' OR \(exact) IS NOT NULL AND \(column) IS NULL"
      case .date:
        return """
          \(exact) !~ '^-?[0-9]{1,19} [0-9]{1,9}$' OR \(exact) IS NOT NULL AND \(column) IS NULL
          OR \(exact) IS NULL AND NOT isfinite(\(column))
          """
      case .json(isText: false): return isMisencoded(exact)
      }
    }
  }
#endif
