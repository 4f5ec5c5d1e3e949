#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// Reads the objects of an entity page by page. Their values must have a form that FastMap writes, and must match the
  /// object's fingerprint if it has one.
  struct ContentCheck {
    private struct Column {
      let field: Int
      /// The place in the answer. The second column, if there is one, is after it.
      let place: Int
      /// Nil for a relationship to one.
      let kind: AttributeKind?
    }

    /// Objects that are wrong in one way.
    private struct Finding {
      var count = 0
      /// The number of one of them.
      var example: Int64 = 0

      mutating func add(_ id: Int64) {
        if count == 0 { example = id }
        count += 1
      }
    }

    private let layout: Layout
    private let entity: SQLCatalog.Entity
    private let connection: Connection
    private let fingerprinter: Fingerprinter
    private let columns: [Column]
    private let names: String
    /// By field: values that no store writes, and pairs of columns that differ.
    private var foreign: [Int: Finding] = [:]
    private var different: [Int: Finding] = [:]
    private var changed = Finding()
    private var rowCount = 0
    private var byteCount = 0

    init(_ entity: SQLCatalog.Entity, of layout: Layout, _ connection: Connection) {
      self.layout = layout
      self.entity = entity
      self.connection = connection
      fingerprinter = Fingerprinter(key: layout.fingerprintKey, fields: [entity.fields.map(\.name)])
      var columns: [Column] = []
      var names = ["t.fastmap_id", "t.fastmap_fingerprint"]
      for (number, field) in entity.fields.enumerated() {
        guard !field.isToMany else { continue }
        let kind: AttributeKind? = if case .attribute(let kind) = field.kind { kind } else { nil }
        columns.append(Column(field: number, place: names.count, kind: kind))
        names += layout.columns(of: field).map { "t.\(SQLText.identifier($0.name))" }
      }
      self.columns = columns
      self.names = names.joined(separator: ", ")
    }

    /// The most objects, and about the bytes of a page.
    private static let (mostRows, mostBytes) = (4096, 8 << 20)

    /// - Returns: The problems; the examples are numbers of objects.
    mutating func run() throws -> [(place: String, text: String, count: Int, example: Int64, advice: String)]
    {
      var limit = 64
      var last = Int64.min
      let table = layout.qualified(entity.sqlName)
      repeat {
        var parameters = Parameters()
        parameters.int8(last)
        let statement = Statement(
          "SELECT \(names) FROM \(table) t WHERE t.fastmap_id > $1 ORDER BY t.fastmap_id LIMIT \(limit)",
          .int8)
        let answer = try connection.run(statement, parameters)
        rowCount = answer.rowCount
        guard rowCount > 0 else { break }
        let first = answer.int8(0, 0)
        last = answer.int8(rowCount - 1, 0)
        byteCount = 0
        try check(answer, try lists(from: first, to: last))
        guard rowCount == limit else { break }
        // Small rows make the next page larger, large rows make it smaller.
        let fitting = Self.mostBytes / max(1, byteCount / rowCount)
        limit = max(1, min(fitting, limit * 4, Self.mostRows))
      } while true
      return problems
    }

    private var problems: [(place: String, text: String, count: Int, example: Int64, advice: String)] {
      var problems: [(place: String, text: String, count: Int, example: Int64, advice: String)] = []
      for (number, field) in entity.fields.enumerated() {
        let place = "\(entity.name).\(field.name)"
        if let found = foreign[number] {
          problems.append(
            (place, "objects with a value that FastMap does not write", found.count, found.example, ""))
        }
        if let found = different[number] {
          problems.append(
            (
              place, "objects whose columns \(field.sqlName) and \(field.exactName) have different values",
              found.count, found.example, Self.advice
            ))
        }
      }
      if changed.count > 0 {
        problems.append(
          (
            entity.name, "objects that another program has changed, or whose links", changed.count,
            changed.example, Self.advice
          ))
      }
      return problems
    }

    private static let advice =
      "; set their fastmap_fingerprint to null and import them again, or restore a backup"

    /// Asks for the links of a page's objects. The links of an owner come together and in order.
    private func lists(from first: Int64, to last: Int64) throws -> [(field: Int, answer: Answer)] {
      var sent: [(field: Int, ticket: Ticket)] = []
      for (number, field) in entity.fields.enumerated() where field.isToMany {
        var parameters = Parameters()
        parameters.int8(first)
        parameters.int8(last)
        let statement = Statement(
          """
          SELECT l.owner, l.target FROM \(layout.qualified(field.sqlName)) l
          WHERE l.owner >= $1 AND l.owner <= $2 ORDER BY l.owner, l.position
          """, .int8, .int8)
        sent.append((number, try connection.send(statement, parameters)))
      }
      return try sent.map { ($0.field, try connection.answer(to: $0.ticket)) }
    }

    private mutating func check(_ answer: Answer, _ lists: [(field: Int, answer: Answer)]) throws {
      let memory = DecodedBytes()
      var buffer = RowBuffer()
      var next = [Int](repeating: 0, count: lists.count)
      var json: [Int: [(id: Int64, text: [UInt8])]] = [:]
      // Objects that do not match their fingerprint; reported unless the server finds that two of their columns differ.
      var others: [Int64] = []
      for row in 0..<answer.rowCount {
        let id = answer.int8(row, 0)
        buffer.reset(count: entity.fields.count)
        var isSound = true
        for column in columns {
          byteCount += answer.bytes(row, column.place).count
          guard let kind = column.kind else {
            if !answer.isNull(row, column.place) {
              buffer.borrow(.target(answer.id(row, column.place)), at: column.field)
            }
            continue
          }
          guard let value = kind.read(answer, row, column.place, memory) else {
            foreign[column.field, default: Finding()].add(id)
            isSound = false
            continue
          }
          buffer.borrow(value, at: column.field)
          guard kind.hasExact, !answer.isNull(row, column.place + 1) else { continue }
          byteCount += answer.bytes(row, column.place + 1).count
          switch kind.expectedColumn(beside: value, answer, row, column.place) {
          case .isSame: break
          case .differs:
            different[column.field, default: Finding()].add(id)
            isSound = false
          case .json(let text): json[column.field, default: []].append((id, text))
          }
        }
        for (list, (field, links)) in lists.enumerated() {
          var targets: [ObjectID] = []
          while next[list] < links.rowCount, links.int8(next[list], 0) <= id {
            if links.int8(next[list], 0) == id { targets.append(links.id(next[list], 1)) }
            next[list] += 1
          }
          byteCount += 16 * targets.count
          if !targets.isEmpty { buffer.setTargets(targets, update: .assign, at: field) }
        }
        if isSound, !answer.isNull(row, 1) {
          try buffer.checkWhole()
          let content = answer.bytes(row, 1).bigEndian(UInt64.self, at: 8)
          if content != 0, content != fingerprinter.content(of: buffer.row, 0) { others.append(id) }
        }
        memory.removeAll()
      }
      var named: Set<Int64> = []
      for (field, values) in json { named.formUnion(try compare(values, field)) }
      for id in others where !named.contains(id) { changed.add(id) }
    }

    /// Lets the server compare the `jsonb` of objects with their exact texts, converted to `jsonb`.
    ///
    /// - Returns: The numbers of objects that differ.
    private mutating func compare(_ values: [(id: Int64, text: [UInt8])], _ field: Int) throws -> [Int64] {
      let (numbers, texts) = (ArrayColumn(values.map(\.id)), ArrayColumn(of: .jsonb))
      for value in values { value.text.withUnsafeBytes { texts.next().jsonb($0) } }
      let column = "t.\(entity.fields[field].identifier)"
      let statement = Statement(
        """
        SELECT n.id FROM unnest($1, $2) n (id, value)
        JOIN \(layout.qualified(entity.sqlName)) t ON t.fastmap_id = n.id
        WHERE \(column) IS NULL OR \(column) <> n.value ORDER BY n.id
        """, .int8.array, .jsonb.array)
      let answer = try connection.run(statement, Parameters(numbers, texts))
      let ids = (0..<answer.rowCount).map { answer.int8($0, 0) }
      for id in ids { different[field, default: Finding()].add(id) }
      return ids
    }
  }

  extension AttributeKind {
    /// The result of comparing the first column with an exact value in the second one.
    enum Comparison {
      case isSame, differs
      /// The server must compare it with this text.
      case json([UInt8])
    }

    /// Compares the first column with the exact value of the second one.
    func expectedColumn(
      beside exact: Field, _ answer: borrowing Answer, _ row: Int, _ column: Int
    ) -> Comparison {
      let isNull = answer.isNull(row, column)
      switch self {
      case .boolean, .number, .string, .data: return .isSame
      case .decimal:
        let expected = FieldBuffer()
        guard !isNull, let text = exact.bytes, !StoredDecimal.write(text, to: expected) else {
          return .differs
        }
        return expected.bytes.dropFirst(4).elementsEqual(answer.bytes(row, column)) ? .isSame : .differs
      case .integer:
        let isBeyond = exact.integer == nil && (exact.unsigned ?? 0) > UInt64(Int64.max)
        return isBeyond && !isNull && answer.int8(row, column) == .max ? .isSame : .differs
      case .date:
        guard !isNull, let date = exact.date else { return .differs }
        return answer.int8(row, column) == StoredDate.microseconds(of: date) ? .isSame : .differs
      case .json:
        guard let text = exact.bytes else { return .differs }
        switch StoredJSON.form(of: text) {
        case .same, .other: return isNull ? .differs : .json(Array(text))
        case .replaced(let other): return isNull ? .differs : .json(other)
        case .none: return isNull ? .isSame : .differs
        }
      }
    }
  }
#endif
