#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  /// Keys, counts and pages.
  extension PostgresReader {
    public mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?] {
      var result = [ObjectID?](repeating: nil, count: keys.count)
      if keys.isEmpty { return result }
      let bounds = bounds
      // The row travels with the answer.
      let readsRow = keys.count == 1 && !session.isWrite && connection.server.flavour == .postgres
      var row: Ticket?
      let sent = try send(about: entity) {
        [session] bound, connection -> (places: [Int], tickets: [(Int, Ticket)])? in
        row = nil
        guard let key = bound.comparedKey, let kind = bound.keyKind else { return nil }
        try session.lock(keys)
        // The store has no keys of the other kind, and none longer than an index takes.
        let places = keys.indices.filter {
          keys[$0].kind == kind && keys[$0].byteCount <= Layout.maximumKeyLength
        }
        if places.count > 16 { try session.useIndexes() }
        let statement = Statement(
          """
          SELECT fastmap_i, t.fastmap_id FROM unnest($1) WITH ORDINALITY n (fastmap_n, fastmap_i)
          JOIN \(bound.table) t ON t.\(key) = fastmap_n WHERE t.fastmap_order IS NULL
          """, kind == .string ? .textArray : .int8Array)
        let tickets = try bounds.ranges(places.indices, size: { keys[places[$0]].byteCount + 4 }).map {
          range in
          let column = ArrayColumn(keys: places[range].map { keys[$0] }, kind)
          return (range.lowerBound, try connection.send(statement, Parameters(column)))
        }
        if readsRow, !places.isEmpty {
          row = try connection.send(
            Statement(
              "\(bound.rowsQuestion) WHERE t.\(key) = ANY ($1) AND t.fastmap_order IS NULL",
              types: statement.types),
            Parameters(ArrayColumn(keys: keys, kind)))
        }
        return (places, tickets)
      }
      defer { keepOrForget(row, of: result.first ?? nil, entity) }
      guard let sent, let (places, tickets) = sent else { return result }
      for (offset, ticket) in tickets {
        let answer = try connection.answer(to: ticket)
        for row in 0..<answer.rowCount {
          let place = places[offset + Int(answer.int8(row, 0)) - 1]
          result[place] = ObjectID(rawValue: UInt64(bitPattern: answer.int8(row, 1)))
        }
      }
      if let locks = session.locks {
        for case let id? in result { locks.add(seen: id) }
      }
      return result
    }

    private func keepOrForget(_ row: Ticket?, of id: ObjectID?, _ entity: Int) {
      guard let row else { return }
      guard let id else { return connection.forget(row) }
      let question = AskedObjects(places: ObjectPlaces([id]), tickets: [row])
      for ticket in anticipated.add(rowOf: id, entity, question) { connection.forget(ticket) }
    }

    public mutating func count(of entity: Int) throws -> Int {
      let ticket = try send(about: entity) { [session] bound, connection in
        try session.lockAll()
        return try connection.send(Statement("SELECT count(*) FROM \(bound.table)"))
      }
      guard let ticket else { return 0 }
      return Int(try connection.answer(to: ticket).int8(0, 0))
    }

    public mutating func count(of entity: Int, keys: KeyRange) throws -> Int {
      let ticket = try send(about: entity) { [session] bound, connection -> Ticket? in
        let lower = keys.lower.map { SQLPages.Bound(key: $0, isIncluded: true) }
        let upper = keys.upper.map { SQLPages.Bound(key: $0, isIncluded: keys.includesUpper) }
        guard let condition = KeyCondition(bound, lower, upper) else { return nil }
        try session.lockAll()
        return try connection.send(
          Statement("SELECT count(*) FROM \(bound.table) t WHERE \(condition.text)", types: condition.types),
          condition.parameters)
      }
      guard let ticket = ticket ?? nil else { return 0 }
      return Int(try connection.answer(to: ticket).int8(0, 0))
    }

    public mutating func forEachPage(
      of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
      _ body: (inout PostgresReader, ObjectPage) throws -> Bool
    ) throws {
      try forEachPage(of: entity, keys, nil, isDescending, pageSize, body)
    }

    public mutating func forEachPage(
      of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, isDescending: Bool,
      pageSize: Int,
      _ body: (inout PostgresReader, ObjectPage) throws -> Bool
    ) throws {
      try forEachPage(of: entity, keys, condition, isDescending, pageSize, body)
    }

    private mutating func forEachPage(
      of entity: Int, _ keys: KeyRange?, _ filter: BoundFilter.Condition?, _ isDescending: Bool,
      _ pageSize: Int, _ body: (inout PostgresReader, ObjectPage) throws -> Bool
    ) throws {
      precondition(pageSize > 0, "a page has at least one object")
      var pages = SQLPages(keys: keys, isDescending: isDescending, size: min(pageSize, maxRowsPerStatement))
      // Objects without a key go by their order first, and the numbers of one order are of no order.
      var lastOrder: Int64?
      var sent: AskedPage?
      defer { if let ticket = sent?.ticket { connection.forget(ticket) } }
      // An export that ended early may have left questions.
      dropAnticipated()
      var isFirst = true
      while let question = pages.question {
        let asked = try sent ?? ask(question, of: entity, filter, lastOrder)
        sent = nil
        let page = try answer(asked, &lastOrder)
        pages.received(page)
        if page.ids.isEmpty { continue }
        // A caller that reads a second page probably reads on: the server looks for the third page meanwhile.
        if !isFirst, let question = pages.question { sent = try ask(question, of: entity, filter, lastOrder) }
        isFirst = false
        guard try body(&self, page) else { return }
      }
    }

    private struct AskedPage {
      /// Nil if the store does not have the entity.
      let ticket: Ticket?
      let isKeyed: Bool
      let keyKind: AttributeKind?
    }

    private mutating func ask(
      _ question: SQLPages.Question, of entity: Int, _ filter: BoundFilter.Condition?, _ order: Int64?,
      as verb: String = "SELECT"
    ) throws -> AskedPage {
      let ticket = try send(about: entity) { [schema, session] bound, binding, connection -> Ticket? in
        try session.lockAll()
        // A page of a table without statistics would be a scan and a sort of the whole table. With a filter, that may be
        // the best.
        if question.limit > 16, filter == nil { try session.useIndexes() }
        func filtered(_ condition: KeyCondition) throws -> (text: String, conditions: Conditions) {
          var conditions = Conditions(binding, schema, session)
          conditions.add(condition)
          guard let filter else { return (condition.text, conditions) }
          let text = try conditions.sql(filter, entity, at: connection.place)
          return ("\(condition.text) AND (\(text))", conditions)
        }
        switch question {
        case .keyed(let lower, let upper, let descending, let limit):
          guard let key = bound.comparedKey, let condition = KeyCondition(bound, lower, upper) else {
            return nil
          }
          let (text, conditions) = try filtered(condition)
          return try connection.send(
            Statement(
              """
              \(verb) t.fastmap_id, t.\(key) FROM \(bound.table) t WHERE \(text)
              ORDER BY t.\(key) \(descending ? "DESC" : "ASC") LIMIT \(limit)
              """, types: conditions.types), conditions.parameters)
        case .keyless(let after, let descending, let limit):
          var parameters = Parameters()
          var types: [TypeOID] = []
          var condition = "t.fastmap_order IS NOT NULL"
          if let after, let order {
            condition += " AND (t.fastmap_order, t.fastmap_id) \(descending ? "<" : ">") ($1, $2)"
            parameters.int8(order)
            parameters.int8(Int64(bitPattern: after.rawValue))
            types = [.int8, .int8]
          }
          let direction = descending ? "DESC" : "ASC"
          let (text, conditions) = try filtered(
            KeyCondition(text: condition, types: types, parameters: parameters))
          return try connection.send(
            Statement(
              """
              \(verb) t.fastmap_id, t.fastmap_order FROM \(bound.table) t WHERE \(text)
              ORDER BY t.fastmap_order \(direction), t.fastmap_id \(direction) LIMIT \(limit)
              """, types: conditions.types), conditions.parameters)
        }
      }
      let isKeyed = if case .keyed = question { true } else { false }
      return AskedPage(
        ticket: ticket ?? nil, isKeyed: isKeyed, keyKind: binding[entity].flatMap { $0.keyKind })
    }

    private mutating func answer(_ asked: AskedPage, _ lastOrder: inout Int64?) throws -> ObjectPage {
      var page = ObjectPage()
      guard let ticket = asked.ticket else { return page }
      let answer = try connection.answer(to: ticket)
      for row in 0..<answer.rowCount {
        page.append(answer.id(row, 0), asked.isKeyed ? answer.key(row, 1, asked.keyKind ?? .integer) : nil)
      }
      if !asked.isKeyed, answer.rowCount > 0 { lastOrder = answer.int8(answer.rowCount - 1, 1) }
      return page
    }
  }

  extension PostgresReader: PlanningReader {
    package mutating func indexes(
      usedFor entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, pageSize: Int
    ) throws -> [String] {
      let pages = SQLPages(keys: keys, isDescending: false, size: min(pageSize, maxRowsPerStatement))
      guard connection.server.flavour == .postgres, let question = pages.question,
        let ticket = try ask(question, of: entity, condition, nil, as: "EXPLAIN (COSTS OFF) SELECT").ticket
      else { return [] }
      let answer = try connection.answer(to: ticket)
      return Self.indexes(inPlan: (0..<answer.rowCount).map { answer.text($0, 0) })
    }

    /// The indexes of a plan; none if it reads a whole table or a whole index.
    static func indexes(inPlan lines: [String]) -> [String] {
      var names: [String] = []
      // An index whose condition is expected on a line after it.
      var isWhole = false
      for line in lines {
        if line.contains("Seq Scan on ") || isWhole && line.contains("->") { return [] }
        if line.contains("Index Cond:") { isWhole = false }
        guard let name = index(inPlan: line) else { continue }
        if isWhole { return [] }
        isWhole = true
        if !names.contains(name) { names.append(name) }
      }
      return isWhole ? [] : names
    }

    /// The index of a line of a plan: `Index Scan using NAME on …`, `Bitmap Index Scan on NAME`.
    private static func index(inPlan line: String) -> String? {
      let marks = ["Scan using ", "Scan Backward using ", "Bitmap Index Scan on "]
      guard let mark = marks.lazy.compactMap({ line.firstRange(of: $0) }).first else { return nil }
      let rest = line[mark.upperBound...]
      if rest.first == "\"" { return String(rest.dropFirst().prefix { $0 != "\"" }) }
      return String(rest.prefix { $0 != " " })
    }
  }

  extension SQLPages.Question {
    fileprivate var limit: Int {
      switch self {
      case .keyed(_, _, _, let limit), .keyless(_, _, let limit): limit
      }
    }
  }

  /// The SQL condition for a range of keys. The keys of an entity are all integers or all strings.
  struct KeyCondition {
    let text: String
    let types: [TypeOID]
    let parameters: Parameters
  }

  extension KeyCondition {
    /// Nil if no key of the entity is in the range.
    init?(_ bound: Binding.Entity, _ lower: SQLPages.Bound?, _ upper: SQLPages.Bound?) {
      guard let key = bound.comparedKey, let kind = bound.keyKind else { return nil }
      var conditions = ["t.fastmap_order IS NULL"]
      var types: [TypeOID] = []
      var parameters = Parameters()
      func add(_ bound: SQLPages.Bound, _ sign: String) {
        types.append(kind == .string ? .text : .int8)
        conditions.append("t.\(key) \(sign)\(bound.isIncluded ? "=" : "") $\(types.count)")
        parameters.key(bound.key)
      }
      // All integers come before all strings.
      if let lower {
        if lower.key.kind == kind { add(lower, ">") } else if kind == .integer { return nil }
      }
      if let upper {
        if upper.key.kind == kind { add(upper, "<") } else if kind == .string { return nil }
      }
      self.init(text: conditions.joined(separator: " AND "), types: types, parameters: parameters)
    }
  }

  extension PrimaryKey {
    /// The bytes of its value, at least.
    var byteCount: Int {
      switch self {
      case .integer: 8
      case .string(let text): text.utf8.count
      }
    }

    var kind: AttributeKind {
      switch self {
      case .integer: .integer
      case .string: .string
      }
    }
  }

  extension Parameters {
    mutating func key(_ key: PrimaryKey) {
      switch key {
      case .integer(let value): int8(value)
      case .string(let text): self.text(StoredText.encoded(text))
      }
    }
  }

  extension ArrayColumn {
    convenience init(keys: some Collection<PrimaryKey>, _ kind: AttributeKind) {
      self.init(of: kind == .string ? .text : .int8)
      for key in keys {
        switch key {
        case .integer(let value): int8(value)
        case .string(let text): append { $0.text(StoredText.encoded(text)) }
        }
      }
    }
  }

  extension Answer {
    func key(_ row: Int, _ column: Int, _ kind: AttributeKind) -> PrimaryKey {
      kind == .string ? .string(StoredText.decoded(text(row, column))) : .integer(int8(row, column))
    }
  }
#endif
