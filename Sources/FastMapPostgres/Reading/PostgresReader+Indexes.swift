#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  /// Declared indexes.
  extension PostgresReader {
    public mutating func indexes(of entity: Int) throws -> [Schema.Index] {
      try send { binding, _ in binding[entity]?.bound.indexes.map(\.index) ?? [] }
    }

    public mutating func forEachPage(
      in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
      after position: IndexRange.Position?, pageSize: Int,
      _ body: (inout PostgresReader, ObjectPage) throws -> Bool
    ) throws {
      precondition(pageSize > 0, "a page has at least one object")
      dropAnticipated()
      let size = min(pageSize, maxRowsPerStatement)
      var pages = IndexPages(
        index: index, entity: entity, isDescending: isDescending,
        scan: SQLIndexScan(index, range, isDescending: isDescending, after: position), size: size, rows: size)
      while let page = try nextPage(&pages, range, position) {
        guard try body(&self, page) else { return }
      }
    }

    public mutating func count(
      in index: Schema.Index, of entity: Int, range: IndexRange, limit: Int
    ) throws -> Int {
      guard limit > 0 else { return 0 }
      let tickets = try send(about: entity) {
        [schema, session] bound, binding, connection -> [Ticket]? in
        guard let native = session.native(index, bound) else { return nil }
        try session.lockAll()
        return try [true, false].compactMap { isShort -> Ticket? in
          let isLong = native.isLong("t.")
          if !isShort, isLong == nil { return nil }
          var conditions = Conditions(binding, schema, session, length: isShort ? native.length : nil)
          let segment = SQLIndexScan.Segment.whole(index, range)
          guard var texts = conditions.texts(of: segment, entity: entity, native) else { return nil }
          if let isLong { texts.append(isShort ? "(\(isLong)) IS NOT TRUE" : "(\(isLong))") }
          let condition = texts.isEmpty ? "" : " WHERE " + texts.joined(separator: " AND ")
          return try connection.send(
            Statement(
              "SELECT count(*) FROM (SELECT 1 FROM \(bound.table) t\(condition) LIMIT \(limit)) found",
              types: conditions.types), conditions.parameters)
        }
      }
      var count = 0
      for ticket in (tickets ?? nil) ?? [] { count += Int(try connection.answer(to: ticket).int8(0, 0)) }
      return min(count, limit)
    }

    // MARK: Pages

    /// The state of an iteration.
    private struct IndexPages {
      let index: Schema.Index
      let entity: Int
      let isDescending: Bool
      var scan: SQLIndexScan
      let size: Int
      var isProbed = false
      /// Whether the range has long values. The index does not sort it then, and the server sorts for each question.
      var isWhole = false
      /// The objects to ask for at once: a page, or ever more of them where the server sorts.
      var rows: Int
      /// Objects that were received together with an earlier page.
      var ready = ReadyObjects()
      var isAtEnd = false
    }

    /// The most objects to ask for at once.
    private static let mostRows = 65_536

    /// - Returns: Nil after the last page.
    private mutating func nextPage(
      _ pages: inout IndexPages, _ range: IndexRange, _ start: IndexRange.Position?
    ) throws -> ObjectPage? {
      if pages.ready.isEmpty, !pages.isAtEnd { pages.ready = try received(&pages, range, start) }
      if pages.ready.isEmpty { return nil }
      return pages.ready.removeFirst(pages.size)
    }

    private mutating func received(
      _ pages: inout IndexPages, _ range: IndexRange, _ start: IndexRange.Position?
    ) throws -> ReadyObjects {
      var page = ObjectPage()
      var last: SQLIndexScan.Position?
      var used = 0
      var asked = 0
      while page.count < pages.rows {
        let segments = pages.scan.nextSet()
        if segments.isEmpty { break }
        let probes = !pages.isProbed
        pages.isProbed = true
        let answers = try ask(
          segments, pages, probing: probes ? range : nil, limit: pages.rows - page.count)
        guard let (tickets, probe, keyKind) = answers else {
          pages.isAtEnd = true
          return ReadyObjects()
        }
        if let probe, try connection.answer(to: probe).rowCount > 0 {
          for ticket in tickets { connection.forget(ticket) }
          pages.isWhole = true
          pages.scan = SQLIndexScan(pages.index, range, isDescending: pages.isDescending, after: start)
          return try received(&pages, range, start)
        }
        for ticket in tickets {
          asked += 1
          let answer = try connection.answer(to: ticket)
          let count = min(answer.rowCount, pages.rows - page.count)
          guard count > 0 else { continue }
          used = asked
          for row in 0..<count { page.append(answer.id(row, 0), answer.keyIfAny(row, keyKind)) }
          last = try position(of: answer, count - 1, pages, page.keys.last ?? nil)
        }
      }
      if page.count < pages.rows { pages.isAtEnd = true }
      if let last { pages.scan.restart(behind: last, used: used) }
      if pages.isWhole {
        pages.rows = max(pages.size, min(pages.rows * 4, Self.mostRows, maxRowsPerStatement))
      }
      return ReadyObjects(page)
    }

    private typealias Answers = (tickets: [Ticket], probe: Ticket?, keyKind: AttributeKind?)

    /// Sends the questions for segments: number, order, key and the fields of the index.
    ///
    /// - Parameter range: The range of the question for long values; nil if its answer is known.
    private mutating func ask(
      _ segments: ArraySlice<SQLIndexScan.Segment>, _ pages: IndexPages, probing range: IndexRange?,
      limit: Int
    ) throws -> Answers? {
      let (index, entity, isWhole) = (pages.index, pages.entity, pages.isWhole)
      let sent = try send(about: entity) { [schema, session] bound, binding, connection -> Answers? in
        guard let native = session.native(index, bound) else { return nil }
        try session.lockAll()
        if !isWhole, pages.size > 16 { try session.useIndexes() }
        let isLong = native.isLong("t.")
        var probe: Ticket?
        if let range, let isLong {
          var conditions = Conditions(binding, schema, session)
          guard
            let texts = conditions.texts(of: SQLIndexScan.Segment.whole(index, range), entity: entity, native)
          else { return nil }
          let condition = ["(\(isLong))"] + texts
          probe = try connection.send(
            Statement(
              "SELECT 1 FROM \(bound.table) t WHERE \(condition.joined(separator: " AND ")) LIMIT 1",
              types: conditions.types), conditions.parameters)
        }
        let order = NativeIndex.list(
          native.columns("t.", isCut: !isWhole, isReversed: pages.isDescending))
        let fields = index.parts.compactMap { bound.fields[$0.field] }.flatMap { field in
          ["t.\(field.identifier)"] + (field.exact.map { ["t.\($0)"] } ?? [])
        }
        let columns = ["t.fastmap_id", "t.fastmap_order", bound.key.map { "t.\($0)" } ?? "NULL"] + fields
        let tickets = try segments.compactMap { segment -> Ticket? in
          var conditions = Conditions(binding, schema, session, length: isWhole ? nil : native.length)
          guard var texts = conditions.texts(of: segment, entity: entity, native) else { return nil }
          if !isWhole, let isLong { texts.append("(\(isLong)) IS NOT TRUE") }
          let condition = texts.isEmpty ? "" : " WHERE " + texts.joined(separator: " AND ")
          return try connection.send(
            Statement(
              "SELECT \(columns.joined(separator: ", ")) FROM \(bound.table) t\(condition) "
                + "ORDER BY \(order) LIMIT \(limit)", types: conditions.types),
            conditions.parameters)
        }
        return (tickets, probe, bound.keyKind)
      }
      return sent ?? nil
    }

    private func position(
      of answer: borrowing Answer, _ row: Int, _ pages: IndexPages, _ key: PrimaryKey?
    ) throws -> SQLIndexScan.Position {
      let memory = DecodedBytes()
      var contents: [IndexRange.Content] = []
      var column = 3
      for part in pages.index.parts {
        guard let bound = binding[pages.entity], let field = bound.fields[part.field] else { continue }
        switch field.kind {
        case .attribute(let kind):
          guard let value = kind.read(answer, row, column, memory) else {
            throw damaged(part.field, of: bound)
          }
          contents.append(value.value.map { .value($0) } ?? .none)
        case .toOne, .toMany:
          contents.append(answer.isNull(row, column) ? .none : .object(answer.id(row, column)))
        }
        column += field.exact == nil ? 1 : 2
      }
      let tie: SQLIndexScan.Tie =
        key.map { .keyed(after: $0) } ?? .keyless(after: (answer.int8(row, 1), answer.id(row, 0)))
      return SQLIndexScan.Position(contents: contents, tie: tie)
    }
  }

  /// Objects to hand out page by page.
  private struct ReadyObjects {
    private var page = ObjectPage()
    private var place = 0

    init(_ page: ObjectPage = ObjectPage()) { self.page = page }

    var isEmpty: Bool { place == page.count }

    /// The next objects, and at most so many.
    mutating func removeFirst(_ most: Int) -> ObjectPage {
      let end = min(place + most, page.count)
      defer { place = end }
      if place == 0, end == page.count { return page }
      return ObjectPage(ids: Array(page.ids[place..<end]), keys: Array(page.keys[place..<end]))
    }
  }

  extension Conditions {
    /// The conditions of a segment of an index; nil if one of its values is none of its column.
    mutating func texts(
      of segment: SQLIndexScan.Segment, entity: Int, _ native: NativeIndex
    ) -> [String]? {
      var texts: [String] = []
      for (field, test) in segment.tests {
        guard let text = text(of: test, field: field, entity: entity, alias: "t") else { return nil }
        texts.append(text)
      }
      switch segment.tie {
      case .all: break
      case .keyed(let key):
        guard let column = native.keyText("t.", isCut: isCut), key.kind == native.entity.keyKind else {
          return nil
        }
        let value = parameter(key.kind == .string ? .text : .int8) { $0.key(key) }
        texts.append("t.fastmap_order IS NULL AND \(column) > \(value)")
      case .keyless(nil): texts.append("t.fastmap_order IS NOT NULL")
      case .keyless(let (order, id)?):
        let (first, second) = (
          parameter(.int8) { $0.int8(order) }, parameter(.int8) { $0.int8(Int64(bitPattern: id.rawValue)) }
        )
        texts.append(
          "t.fastmap_order >= \(first) AND (t.fastmap_order > \(first) OR t.fastmap_id > \(second))")
      }
      return texts
    }
  }

  extension TransactionLayout {
    /// A declared index as PostgreSQL has it; nil if the store does not have it.
    func native(_ index: Schema.Index, _ bound: Binding.Entity) -> NativeIndex? {
      guard let layout, let known = bound.bound.indexes.first(where: { $0.index.parts == index.parts }) else {
        return nil
      }
      return NativeIndex(layout, bound.stored, known.stored)
    }
  }

  extension Answer {
    /// The key of a row with the columns number, order and key.
    func keyIfAny(_ row: Int, _ kind: AttributeKind?) -> PrimaryKey? {
      guard let kind, isNull(row, 1) else { return nil }
      return key(row, 2, kind)
    }
  }
#endif
