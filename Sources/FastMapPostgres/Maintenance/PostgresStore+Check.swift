#if Postgres
  public import FastMapMaintenance
  internal import FastMapSQL

  extension PostgresStore: PersistentStore {
    /// Checks every invariant of the store in one snapshot: columns, indexes, keys, numbers, targets, owners, positions,
    /// values, and the fingerprints of objects that FastMap has written.
    ///
    /// A fingerprint reveals changes by other programs. An object has none if its last import has left fields alone or
    /// has merged a list.
    ///
    /// On Citus, the statements may see different commits. Check there without writers.
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
          checkConstraints(of: sound, layout, &report)
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
              report.add(place, "\(text): \(count), for example \(example)")
            case .note(let place, let text, let reason):
              guard count > 0 else { continue }
              let example = try layout.name(invariant.example, answer.text(0, 1), connection)
              report.notes.append("\(escaped(place)): \(text): \(count), for example \(example); \(reason)")
            }
          }
          try TransactionLayout.sendIndexUse(connection)
          for entity in sound {
            var contents = ContentCheck(entity, of: layout, connection)
            for problem in try contents.run() {
              let example = try layout.name(.object(entity), "\(problem.example)", connection)
              report.add(
                problem.place, "\(problem.text): \(problem.count), for example \(example)\(problem.advice)")
            }
          }
          return report
        }
      }
    }

    /// Compares the tables of the catalog. A read does not need all of them.
    private func checkCatalog(of layout: Layout, _ report: inout CheckReport) {
      for table in Layout.catalogTables {
        do throws(PostgresError) { try layout.check(table.types, of: table.name, "") } catch {
          let column = error.column.map { "column \($0): " } ?? ""
          report.add(table.name, column + error.message)
        }
      }
    }

    /// Finds the indexes and constraints that are gone.
    private func checkConstraints(
      of entities: [SQLCatalog.Entity], _ layout: Layout, _ report: inout CheckReport
    ) {
      for entity in entities {
        for constraint in layout.missing(layout.constraints(of: entity)) {
          report.add(
            entity.name,
            "another program has removed \(escaped(constraint.name)); the next import of the entity makes it "
              + "again with: \(printable(constraint.statement))")
        }
      }
    }

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
          report.add(entity.name, "table \(error.table ?? "")\(column): \(error.message)")
          return false
        }
      }
    }
  }

  extension Layout {
    /// An example in words: with the key of the object, or of the owner of a target.
    fileprivate func name(_ example: Example, _ text: String, _ connection: Connection) throws -> String {
      switch example {
      case .value: return text
      case .object(let entity):
        return try key(of: entity, connection, "t.fastmap_id = $1", text) ?? "fastmap_id \(text)"
      case .target(let field, let entity):
        let owner = try owners(of: text, field, of: entity, connection).first
        return "fastmap_id \(text)" + (owner.map { " in \($0)" } ?? "")
      case .owned(let relationships):
        let found = try relationships.flatMap { try owners(of: text, $0.field, of: $0.owner, connection) }
        return "fastmap_id \(text)" + (found.isEmpty ? "" : " in \(list(Array(found.prefix(2))))")
      }
    }

    /// The first and the last object that have a target: `Book with key 3`.
    private func owners(
      of number: String, _ field: SQLCatalog.Field, of entity: SQLCatalog.Entity, _ connection: Connection
    ) throws -> [String] {
      let found = try ["min", "max"].compactMap { function in
        let condition =
          field.isToMany
          ? "t.fastmap_id = (SELECT \(function)(l.owner) FROM \(qualified(field.sqlName)) l WHERE l.target = $1)"
          : "t.fastmap_id = (SELECT \(function)(o.fastmap_id) FROM \(qualified(entity.sqlName)) o "
            + "WHERE o.\(field.identifier) = $1)"
        return try key(of: entity, connection, condition, number)
      }
      return (found.first == found.last ? Array(found.prefix(1)) : found).map {
        "\(escaped(entity.name)) with \($0)"
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
      invariant.others.allSatisfy { other in contains { $0.number == other } }
    }
  }
#endif
