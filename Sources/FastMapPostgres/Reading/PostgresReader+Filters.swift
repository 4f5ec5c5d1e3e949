#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  /// Filters that the server tests.
  extension PostgresReader {
    /// True for the conditions that SQL can express exactly: comparisons with values, beginnings and parts of strings,
    /// and combinations of them.
    ///
    /// They may be about the attributes of an object and, except on Citus, of the targets of its to-one relationships.
    public mutating func canTest(_ condition: BoundFilter.Condition, of entity: Int) throws -> Bool {
      var conditions = Conditions(binding, schema, session)
      return conditions.text(of: condition, entity: entity, alias: "t", schema: schema) != nil
        && conditions.types.count <= Self.mostParameters
    }

    /// A statement has 65 535 at most.
    private static let mostParameters = 16_384

    public mutating func count(
      of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, limit: Int
    ) throws -> Int {
      guard limit > 0 else { return 0 }
      let ticket = try send(about: entity) { [schema, session] bound, binding, connection -> Ticket? in
        guard
          let (text, conditions) = try Conditions.whole(
            keys, condition, bound, entity, Conditions(binding, schema, session), connection)
        else { return nil }
        try session.lockAll()
        let rows = "FROM \(bound.table) t WHERE \(text)"
        return try connection.send(
          Statement(
            limit == .max
              ? "SELECT count(*) \(rows)" : "SELECT count(*) FROM (SELECT 1 \(rows) LIMIT \(limit)) found",
            types: conditions.types), conditions.parameters)
      }
      guard let ticket = ticket ?? nil else { return 0 }
      return Int(try connection.answer(to: ticket).int8(0, 0))
    }

    public mutating func objects(
      of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition,
      sortedBy parts: [Schema.Index.Part], limit: Int
    ) throws -> ObjectPage? {
      var page = ObjectPage()
      let sent = try send(about: entity) {
        [schema, session] bound, binding, connection -> (Ticket, AttributeKind?)? in
        guard
          let layout = session.layout,
          let (text, conditions) = try Conditions.whole(
            keys, condition, bound, entity, Conditions(binding, schema, session), connection)
        else { return nil }
        try session.lockAll()
        // A field that the store does not have has no values, and so no order.
        let stored = parts.compactMap { part in
          bound.fields[part.field].map {
            SQLCatalog.Index.Part(field: $0.stored.number, isDescending: part.isDescending)
          }
        }
        let index = SQLCatalog.Index(
          number: 0, entity: bound.stored.number, name: "", parts: stored, isUnique: false)
        let order = NativeIndex.list(
          NativeIndex(layout, bound.stored, index).columns("t.", isCut: false, isReversed: false))
        let ticket = try connection.send(
          Statement(
            "SELECT t.fastmap_id, t.fastmap_order, \(bound.key.map { "t.\($0)" } ?? "NULL") "
              + "FROM \(bound.table) t WHERE \(text) ORDER BY \(order)"
              + (limit == .max ? "" : " LIMIT \(limit)"), types: conditions.types), conditions.parameters)
        return (ticket, bound.keyKind)
      }
      guard let (ticket, keyKind) = sent ?? nil else { return page }
      let answer = try connection.answer(to: ticket)
      for row in 0..<answer.rowCount { page.append(answer.id(row, 0), answer.keyIfAny(row, keyKind)) }
      return page
    }
  }

  extension Conditions {
    /// The text of a condition that the store has promised to test.
    mutating func sql(
      _ condition: BoundFilter.Condition, _ entity: Int, at place: String
    ) throws(PostgresError) -> String {
      guard let text = text(of: condition, entity: entity, alias: "t", schema: schema) else {
        throw PostgresError(
          server: place,
          message: "a filter cannot be tested by the server, because the store has changed meanwhile")
      }
      return text
    }

    /// The text for a range of keys and a condition; nil if no key of the entity is in the range.
    static func whole(
      _ keys: KeyRange?, _ condition: BoundFilter.Condition, _ bound: Binding.Entity, _ entity: Int,
      _ conditions: Conditions, _ connection: Connection
    ) throws -> (String, Conditions)? {
      var conditions = conditions
      var texts: [String] = []
      if let keys {
        let lower = keys.lower.map { SQLPages.Bound(key: $0, isIncluded: true) }
        let upper = keys.upper.map { SQLPages.Bound(key: $0, isIncluded: keys.includesUpper) }
        guard let condition = KeyCondition(bound, lower, upper) else { return nil }
        conditions.add(condition)
        texts.append(condition.text)
      }
      texts.append("(\(try conditions.sql(condition, entity, at: connection.place)))")
      return (texts.joined(separator: " AND "), conditions)
    }
  }
#endif
