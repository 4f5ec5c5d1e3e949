#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  /// Finds objects with the same values in a unique index.
  ///
  /// PostgreSQL's own unique indexes would fail at the first pair, and cannot be had on Citus. So a write asks at its end. On
  /// one server the write is SERIALIZABLE: of two that add the same values at the same time, one is repeated. On Citus, a
  /// write with such an entity waits until it is the only one.
  struct DuplicateSearch {
    struct Pair {
      let contents: [IndexRange.Content]
      let first: DuplicateValues.Object
      let second: DuplicateValues.Object
    }

    private let layout: Layout
    private let entity: SQLCatalog.Entity
    private let index: SQLCatalog.Index
    private let fields: [SQLCatalog.Field]

    init(_ layout: Layout, _ entity: SQLCatalog.Entity, _ index: SQLCatalog.Index) {
      self.layout = layout
      self.entity = entity
      self.index = index
      fields = index.parts.compactMap { part in entity.fields.first { $0.number == part.field } }
    }

    /// Calls back with each pair.
    ///
    /// - Parameter touched: The objects that have changed; nil to compare all.
    func forEachPair(
      touched: ArraySlice<ObjectID>?, limit: Int, _ connection: Connection, _ body: (Pair) throws -> Void
    ) throws {
      let native = NativeIndex(layout, entity, index)
      let columns = zip(index.parts, fields).flatMap { part, field -> [SQLDuplicates.Column] in
        let isDescending = part.isDescending
        let cut = native.columns(of: field, "", isCut: true)
        let whole = native.columns(of: field, "", isCut: false)
        return cut.indices.map { place in
          SQLDuplicates.Column(isOptional: place > 0, isDescending: isDescending) {
            native.columns(of: field, $0, isCut: true)[place]
          }
        }
          + (cut == whole
            ? []
            : [
              SQLDuplicates.Column(isDescending: isDescending) {
                native.columns(of: field, $0, isCut: false)[0]
              }
            ])
      }
      let key = layout.keys[entity.number].map { "t.\(SQLText.identifier($0.column))" } ?? "NULL"
      let values = fields.flatMap { layout.columns(of: $0).map { "t.\(SQLText.identifier($0.name))" } }
      let sql = SQLDuplicates.statement(
        table: layout.qualified(entity.sqlName), columns: columns, present: fields.map(\.identifier),
        touched: touched == nil ? nil : "SELECT unnest($1)",
        select: (["t.fastmap_id", "t.fastmap_order", key] + values).joined(separator: ", "),
        order: NativeIndex.list(native.columns("t.", isCut: false, isReversed: false)), limit: limit)
      let answer = try connection.run(
        touched == nil ? Statement(sql) : Statement(sql, .int8.array),
        touched.map { Parameters(ArrayColumn(numbers: $0)) } ?? Parameters())
      var count = 0
      var last: (contents: [IndexRange.Content], object: DuplicateValues.Object)?
      for row in 0..<answer.rowCount where count < limit {
        let contents = contents(of: answer, row)
        let object = DuplicateValues.Object(id: answer.id(row, 0), key: answer.keyIfAny(row, entity.keyKind))
        if let last, last.contents.isSame(as: contents) {
          count += 1
          try body(Pair(contents: contents, first: last.object, second: object))
        }
        last = (contents, object)
      }
    }

    private func contents(of answer: borrowing Answer, _ row: Int) -> [IndexRange.Content] {
      let memory = DecodedBytes()
      var contents: [IndexRange.Content] = []
      var column = 3
      for field in fields {
        switch field.kind {
        case .attribute(let kind):
          let value = kind.read(answer, row, column, memory)?.value
          contents.append(value.map { .value($0) } ?? .none)
        case .toOne, .toMany:
          contents.append(answer.isNull(row, column) ? .none : .object(answer.id(row, column)))
        }
        column += layout.columns(of: field).count
      }
      return contents
    }

    /// The error that users see. A relationship is shown as the key of its target.
    func error(of pair: Pair, _ connection: Connection) throws -> UniquenessError {
      let values = try zip(fields, pair.contents).map { field, content -> Value in
        switch content {
        case .none: return .null
        case .value(let value): return value
        case .object(let id):
          guard let number = field.kind.target?.entity, let target = try? layout.catalog.entity(number),
            let kind = target.keyKind, let key = layout.keys[number]
          else { return .null }
          let answer = try connection.run(
            Statement(
              "SELECT fastmap_id, fastmap_order, \(SQLText.identifier(key.column)) "
                + "FROM \(layout.qualified(target.sqlName)) WHERE fastmap_id = ANY ($1)", .int8.array),
            Parameters(ArrayColumn(numbers: [id])))
          guard answer.rowCount > 0 else { return .null }
          return switch answer.keyIfAny(0, kind) {
          case .integer(let key): .integer(key)
          case .string(let key): .string(key)
          case nil: .null
          }
        }
      }
      return UniquenessError(
        entity: entity.name, index: index.name, values: values, keys: [pair.first.key, pair.second.key])
    }
  }

  extension PostgresWriter {
    public mutating func forEachDuplicate(limit: Int, _ body: (DuplicateValues) throws -> Void) throws {
      var rest = limit
      func give(_ pair: DuplicateSearch.Pair, _ entity: Int, _ index: String) throws {
        rest -= 1
        try body(pair.duplicate(of: entity, index))
      }
      for entity in reader.schema.entities.indices {
        guard let bound = binding[entity] else { continue }
        for index in bound.stored.indexes where index.isUnique && rest > 0 {
          try forEachPair(in: index, bound, limit: rest) { try give($1, entity, index.name) }
        }
      }
      for entity in reader.schema.entities.indices {
        for index in unstoredIndexes(of: entity) where rest > 0 {
          try search(inNew: index, of: entity)?.forEachPair(touched: nil, limit: rest, connection) {
            try give($0, entity, index.name)
          }
        }
      }
      if rest == limit { state.checked = state.touchedCount }
    }

    /// A search by an index that becomes unique with this write, or that a dry run has not made; nil if nothing is stored.
    private func search(inNew index: Schema.Index, of entity: Int) throws -> DuplicateSearch? {
      guard let layout = reader.session.layout, let stored = binding[entity]?.stored else { return nil }
      let names = reader.schema.entities[entity].fields.map(\.name)
      let parts = index.parts.compactMap { part in
        stored.field(named: names[part.field]).map {
          SQLCatalog.Index.Part(field: $0.number, isDescending: part.isDescending)
        }
      }
      guard parts.count == index.parts.count else { return nil }
      // No other write adds the same values before this one ends.
      try reader.session.lockAll()
      return DuplicateSearch(
        layout, stored,
        SQLCatalog.Index(number: 0, entity: stored.number, name: index.name, parts: parts, isUnique: true))
    }

    /// The unique indexes that the schema has and the store does not, or not as unique ones.
    private func unstoredIndexes(of entity: Int) -> [Schema.Index] {
      reader.schema.entities[entity].indexes.filter { index in
        index.isUnique
          && binding[entity]?.stored.indexes.contains { $0.isUnique && NameIndex.isSame($0.name, index.name) }
            != true
      }
    }

    private mutating func forEachPair(
      in index: SQLCatalog.Index, _ bound: Binding.Entity, limit: Int,
      _ body: (DuplicateSearch, DuplicateSearch.Pair) throws -> Void
    ) throws {
      guard let touched = state.touched[bound.stored.number], let layout = reader.session.layout else {
        return
      }
      // No other write adds the same values before this one ends.
      try reader.session.lockAll()
      let search = DuplicateSearch(layout, bound.stored, index)
      var rest = limit
      var known: Set<ObjectID> = []
      for chunk in touched.chunks(of: reader.maxRowsPerStatement) where rest > 0 {
        // A group of objects may have some in several chunks.
        let new = chunk.filter { !known.contains($0) }
        if new.isEmpty { continue }
        try search.forEachPair(touched: new[...], limit: rest, connection) { pair in
          rest -= 1
          known.insert(pair.first.id)
          known.insert(pair.second.id)
          try body(search, pair)
        }
      }
    }

    /// Fails if the write would commit objects with the same values in a unique index. An index that this write has found
    /// without any is unique from now on.
    mutating func refuseDuplicates() throws {
      let isChecked = state.checked == state.touchedCount
      var new: [Int64] = []
      for entity in reader.schema.entities.indices {
        guard let bound = binding[entity] else { continue }
        for index in bound.stored.indexes where index.isUnique && !isChecked {
          try forEachPair(in: index, bound, limit: 1) { [connection] in throw try $0.error(of: $1, connection)
          }
        }
        for index in unstoredIndexes(of: entity) {
          guard let number = bound.stored.index(named: index.name)?.number,
            let search = try search(inNew: index, of: entity)
          else { continue }
          if !isChecked {
            try search.forEachPair(touched: nil, limit: 1, connection) {
              throw try search.error(of: $0, connection)
            }
          }
          new.append(number)
        }
      }
      guard !new.isEmpty, let layout = reader.session.layout else { return }
      try connection.sendQuietly(
        Statement(
          "UPDATE \(layout.qualified("fastmap_index")) SET is_unique = true WHERE number = ANY ($1)",
          .int8Array),
        Parameters(ArrayColumn(new)))
      state.changesCatalog = true
    }
  }

  extension DuplicateSearch.Pair {
    fileprivate func duplicate(of entity: Int, _ index: String) -> DuplicateValues {
      DuplicateValues(entity: entity, index: index, contents: contents, first: first, second: second)
    }
  }

  extension WriteState {
    /// Records the objects of a batch in entities with a unique index.
    func touch(_ changes: [ObjectChange], _ schema: Schema, _ binding: Binding) {
      for change in changes {
        guard let stored = binding[change.entity]?.stored,
          stored.indexes.contains(where: \.isUnique)
            || schema.entities[change.entity].indexes.contains(where: \.isUnique)
        else { continue }
        touched[stored.number, default: []].append(change.id)
        touchedCount += 1
      }
    }
  }

  extension [IndexRange.Content] {
    /// Whether all values are the same: strings by their bytes, which `==` does not compare, and NaN, which it finds unequal.
    fileprivate func isSame(as other: [IndexRange.Content]) -> Bool {
      zip(self, other).allSatisfy { a, b in
        if case .value(.string(let a)) = a, case .value(.string(let b)) = b {
          return a.utf8.elementsEqual(b.utf8)
        }
        if case .value(.number(let a)) = a, case .value(.number(let b)) = b {
          return a == b || a.isNaN && b.isNaN
        }
        return a == b
      }
    }
  }
#endif
