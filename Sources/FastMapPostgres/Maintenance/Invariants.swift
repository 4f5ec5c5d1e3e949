#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// A question whose first column is a number, of broken places or of objects, and the second an example.
  struct Invariant {
    enum Meaning {
      case objects, keys, links
      case problem(String, String)
      /// A finding that FastMap may have caused itself. The last text tells when.
      case note(String, String, String)
    }

    let meaning: Meaning
    let query: String
    var example = Example.value
    /// The other entities whose tables the question uses.
    var others: [Int64] = []
  }

  /// The kind of a problem's example.
  enum Example {
    /// A text.
    case value
    case object(SQLCatalog.Entity)
    /// The number of a target that is not there.
    case target(SQLCatalog.Field, of: SQLCatalog.Entity)
    /// The number of an object that may be there, and the relationships that may have it.
    case owned([(owner: SQLCatalog.Entity, field: SQLCatalog.Field)])
  }

  extension Layout {
    /// The invariants of an entity, and the questions that count its objects, keys and links.
    func invariants(of entity: SQLCatalog.Entity) throws -> [Invariant] {
      let table = qualified(entity.sqlName)
      func problem(
        _ place: String, _ text: String, _ column: String, _ rows: String,
        _ example: Example = .object(entity),
        others: [Int64] = []
      ) -> Invariant {
        Invariant(
          meaning: .problem(place, text), query: Self.counting(column, rows), example: example, others: others
        )
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
          result += [
            Invariant(meaning: .links, query: "SELECT count(\(column)) FROM \(table)"),
            problem(
              place, "targets that do not exist", "n",
              "(SELECT \(column) AS n FROM \(table) WHERE \(column) IS NOT NULL EXCEPT SELECT fastmap_id FROM \(targets)) y",
              .target(field, of: entity), others: [target]),
          ]
        case .toMany(let target, _):
          let (links, targets) = (qualified(field.sqlName), qualified(try catalog.entity(target).sqlName))
          result += [
            Invariant(meaning: .links, query: "SELECT count(*) FROM \(links)"),
            problem(
              place, "targets that do not exist", "n",
              "(SELECT target AS n FROM \(links) EXCEPT SELECT fastmap_id FROM \(targets)) y",
              .target(field, of: entity), others: [target]),
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
      return result + invariants(ofKeyless: entity)
    }

    /// Questions about objects without a key. They belong to one owner, unless they were imported as root objects.
    private func invariants(ofKeyless entity: SQLCatalog.Entity) -> [Invariant] {
      let table = qualified(entity.sqlName)
      var result = [
        Invariant(
          meaning: .note(
            entity.name, "values of fastmap_order that several objects have",
            "imports at the same time make a few of them, and SQL by hand makes more. "
              + "The objects are in the order of their numbers then"),
          query: Self.counting(
            "min(fastmap_id)",
            "\(table) WHERE fastmap_order IS NOT NULL GROUP BY fastmap_order HAVING count(*) > 1"),
          example: .object(entity))
      ]
      let referrers = catalog.referrers(to: entity)
      let owning = referrers.filter { $0.field.kind.target?.isOwned ?? false }
      if owning.isEmpty { return result }
      result += [
        Invariant(
          meaning: .problem(entity.name, "owned objects that two owners have, or that one has twice"),
          query: Self.counting("n", "(\(links(of: owning))) y GROUP BY n HAVING count(*) > 1"),
          example: .owned(owning), others: owning.map(\.owner.number)),
        Invariant(
          meaning: .note(
            entity.name, "objects without a key that no object has",
            "they were imported as root objects, or their import did not end, or another program has removed their owners or links"
          ),
          query: Self.counting(
            "n",
            "(SELECT fastmap_id AS n FROM \(table) WHERE fastmap_order IS NOT NULL EXCEPT (\(links(of: referrers)))) y"
          ),
          example: .object(entity), others: referrers.map(\.owner.number)),
      ]
      return result
    }

    /// A query for all targets of relationships, as `n`.
    private func links(of relationships: [(owner: SQLCatalog.Entity, field: SQLCatalog.Field)]) -> String {
      relationships.map { owner, field in
        field.isToMany
          ? "SELECT target AS n FROM \(qualified(field.sqlName))"
          : "SELECT \(field.identifier) AS n FROM \(qualified(owner.sqlName)) WHERE \(field.identifier) IS NOT NULL"
      }.joined(separator: " UNION ALL ")
    }

    /// A query for the number of rows, and the least value. Ten thousand are as bad as more, and need not be counted.
    private static func counting(_ column: String, _ rows: String) -> String {
      "SELECT count(*), min(d)::text FROM (SELECT \(column) AS d FROM \(rows) LIMIT 10000) x"
    }
  }
#endif
