#if Postgres
  internal import FastMapMaintenance
  internal import FastMapSQL

  // The numbers of a dump are those of a store in a file: they begin with 1 in each entity. A loaded store has them as
  // `fastmap_id`. Objects that were made here have longer ones. The server then counts the objects of the entity: first
  // those with a key, by their keys, and then the others, by their creation.

  /// The queries of a dump.
  struct DumpQuestions {
    struct Entity {
      let bound: Binding.Entity
      /// The field of the keys; nil if there are none, or if it is unknown.
      let keyField: Int?
      /// Whether the server counts the objects.
      let isCounted: Bool
    }

    let header: DumpHeader
    let entities: [Entity]
    private let layout: Layout
    private let numbers: [Int64: Int]

    /// Counts the objects of all entities in one trip.
    init(_ layout: Layout, _ connection: Connection) throws {
      self.layout = layout
      let stored = layout.catalog.entities
      let numbers = Dictionary(stored.enumerated().map { ($1.number, $0) }) { first, _ in first }
      self.numbers = numbers
      let schema = Schema(entities: stored.map { Self.schema(of: $0, layout, numbers) })
      let binding = try layout.bind(schema, at: connection.place)
      let tickets = try stored.map { entity in
        let table = layout.qualified(entity.sqlName)
        return try connection.send(Statement("SELECT count(*), coalesce(max(fastmap_id), 0) FROM \(table)"))
      }
      var counts: [DumpHeader.Counts] = []
      var entities: [Entity] = []
      for (number, ticket) in tickets.enumerated() {
        guard let bound = binding[number] else { continue }
        let answer = try connection.answer(to: ticket)
        let (count, last) = (UInt64(answer.int8(0, 0)), UInt64(bitPattern: answer.int8(0, 1)))
        let isCounted = last > DumpFormat.mostNumber
        counts.append(.init(next: (isCounted ? count : last) + 1, objects: count))
        entities.append(
          Entity(bound: bound, keyField: schema.entities[number].keyField, isCounted: isCounted))
      }
      header = DumpHeader(schema: schema, counts: counts, changes: [])
      self.entities = entities
    }

    private static func schema(
      of entity: SQLCatalog.Entity, _ layout: Layout, _ numbers: [Int64: Int]
    ) -> Schema.Entity {
      let fields = entity.fields.map { field in
        let kind: Schema.Kind =
          switch field.kind {
          case .attribute(let kind): .attribute(kind)
          case .toOne(let target, let isOwned): .toOne(entity: numbers[target] ?? 0, isOwned: isOwned)
          case .toMany(let target, let isOwned): .toMany(entity: numbers[target] ?? 0, isOwned: isOwned)
          }
        return Schema.Field(name: field.name, kind: kind)
      }
      let places = Dictionary(entity.fields.enumerated().map { ($1.number, $0) }) { first, _ in first }
      return Schema.Entity(
        name: entity.name, fields: fields, keyKind: entity.keyKind,
        keyField: layout.keys[entity.number]?.field.flatMap { entity.field(named: $0) }
          .flatMap { places[$0.number] },
        indexes: entity.indexes.map { index in
          Schema.Index(
            name: index.name,
            parts: index.parts.compactMap { part in
              places[part.field].map { .init(field: $0, isDescending: part.isDescending) }
            }, isUnique: index.isUnique)
        })
    }

    // MARK: Queries

    /// The columns of `rows` before the fields: the number, whether it has a key, and its leftover.
    static let offset = 4

    /// All objects of an entity in the order of their numbers, with their columns in the order of the binding. A target
    /// that does not exist is 0.
    func rows(of number: Int) -> String {
      let entity = entities[number]
      let left = "\(layout.qualified("fastmap_leftover"))"
      let hasKeys = entity.bound.key != nil
      var columns = [
        "t.fastmap_number", hasKeys ? "t.fastmap_order IS NULL" : "false", "l.is_owned", "l.deletes_shared",
      ]
      var joins = [
        """
        LEFT JOIN (SELECT object, bool_or(is_owned) AS is_owned, bool_or(deletes_shared) AS deletes_shared
          FROM \(left) WHERE entity = \(entity.bound.stored.number) GROUP BY object) l ON l.object = t.fastmap_id
        """
      ]
      for (place, field) in entity.bound.fields.enumerated() {
        guard let field, !field.stored.isToMany else { continue }
        let column = "t.\(field.identifier)"
        guard let target = target(of: field), target.isCounted else {
          columns.append(column)
          if let exact = field.exact { columns.append("t.\(exact)") }
          continue
        }
        columns.append("CASE WHEN \(column) IS NOT NULL THEN coalesce(r\(place).fastmap_number, 0) END")
        joins.append(
          "LEFT JOIN (\(numbered(target, "t.fastmap_id"))) r\(place) ON r\(place).fastmap_id = \(column)")
      }
      return """
        SELECT \(columns.joined(separator: ", ")) FROM (\(numbered(entity, "t.*"))) t
        \(joins.joined(separator: "\n")) ORDER BY t.fastmap_number
        """
    }

    /// The links of a to-many relationship: owners in the order of their numbers, targets, null for a missing one, and the targets
    /// by their numbers on the server.
    func links(of field: Binding.BoundField, of number: Int) -> String {
      let entity = entities[number]
      var (owner, target) = ("l.owner", "l.target")
      var joins = ""
      if entity.isCounted {
        owner = "o.fastmap_number"
        joins += " JOIN (\(numbered(entity, "t.fastmap_id"))) o ON o.fastmap_id = l.owner"
      }
      if let other = self.target(of: field), other.isCounted {
        target = "r.fastmap_number"
        joins += " LEFT JOIN (\(numbered(other, "t.fastmap_id"))) r ON r.fastmap_id = l.target"
      }
      return
        "SELECT \(owner), \(target) FROM \(field.identifier) l\(joins) ORDER BY \(owner), l.position"
    }

    private func target(of field: Binding.BoundField) -> Entity? {
      field.stored.target.flatMap { numbers[$0] }.map { entities[$0] }
    }

    private func numbered(_ entity: Entity, _ columns: String) -> String {
      let order = ["t.fastmap_order NULLS FIRST", entity.bound.comparedKey.map { "t.\($0)" }, "t.fastmap_id"]
      let number =
        entity.isCounted
        ? "row_number() OVER (ORDER BY \(order.compactMap(\.self).joined(separator: ", ")))" : "t.fastmap_id"
      return "SELECT \(columns), \(number) AS fastmap_number FROM \(entity.bound.table) t"
    }
  }
#endif
