#if Postgres
  public import FastMapStoreKit
  internal import FastMapSQL

  extension PostgresWriter {
    /// Compares with the committed contents. No other write can commit a change of an object that this write has changed,
    /// so another connection still sees the old contents.
    public mutating func changed(_ ids: [ObjectID], of entity: Int) throws -> [Bool] {
      if ids.isEmpty { return [] }
      try reader.verify()
      guard let bound = binding[entity], let layout = reader.session.layout else {
        return ids.map { _ in false }
      }
      var result: [Bool] = []
      for chunk in ids.chunks(of: reader.maxRowsPerStatement) {
        let now = try layout.contents(of: Array(chunk), bound.stored, connection)
        let old = try state.before.contents(of: Array(chunk), bound.stored, layout, state.stored)
        result += chunk.map { now[$0] != old[$0] }
      }
      return result
    }
  }

  /// The contents before a write began, read over a connection of its own. The pool lends the connection on the first
  /// question, which few writes ask.
  final class Before {
    private let store: PostgresStore
    private var kept: KeptConnection?
    /// The layout before this write has added tables; nil if it has added none.
    var layout: Layout?

    init(_ store: PostgresStore) { self.store = store }

    func contents(
      of ids: [ObjectID], _ entity: SQLCatalog.Entity, _ layout: Layout, _ stored: [Int64: NewDefault]
    ) throws -> [ObjectID: [UInt8]] {
      let kept =
        try kept
        ?? store.pool.keepConnection(
          for: "a write compares with the state before it, on a connection of its own")
      self.kept = kept
      // No other session sees the copies of a dry run.
      var layout = self.layout ?? layout
      layout.schema = store.configuration.schema
      guard let entity = try? layout.catalog.entity(entity.number) else { return [:] }
      return try layout.contents(of: ids, entity, kept.connection, stored)
    }
  }

  extension Layout {
    /// The values and lists of objects, as bytes that are equal exactly if the values and lists are equal.
    ///
    /// - Parameter stored: The defaults that the write has stored, which show in place of the columns.
    fileprivate func contents(
      of ids: [ObjectID], _ entity: SQLCatalog.Entity, _ connection: Connection,
      _ stored: [Int64: NewDefault] = [:]
    ) throws -> [ObjectID: [UInt8]] {
      let numbers = Parameters(ArrayColumn(numbers: ids))
      var parameters = numbers
      var types: [TypeOID] = [.int8Array]
      var names = ["fastmap_id"]
      for field in entity.fields {
        guard let new = stored[field.number] else {
          names += columns(of: field).map { SQLText.identifier($0.name) }
          continue
        }
        for column in new.columns {
          types.append(column.value.element.array)
          parameters.column(column.value)
          names.append("($\(types.count))[1]")
        }
      }
      let rows = try connection.send(
        Statement(
          "SELECT \(names.joined(separator: ", ")) FROM \(qualified(entity.sqlName)) "
            + "WHERE fastmap_id = ANY ($1)", types: types), parameters)
      let lists = try entity.fields.filter(\.isToMany).map { field in
        try connection.send(
          Statement(
            "SELECT owner, target FROM \(qualified(field.sqlName)) WHERE owner = ANY ($1) ORDER BY owner, position",
            .int8.array), numbers)
      }
      var contents: [ObjectID: [UInt8]] = [:]
      let answer = try connection.answer(to: rows)
      for row in 0..<answer.rowCount {
        var bytes: [UInt8] = []
        for column in 1..<max(1, answer.columnCount) {
          // A length separates the values. Null has a length that no value has.
          let length = answer.isNull(row, column) ? -1 : answer.bytes(row, column).count
          withUnsafeBytes(of: length) { bytes += $0 }
          bytes += answer.bytes(row, column)
        }
        contents[answer.id(row, 0)] = bytes
      }
      for (index, list) in lists.enumerated() {
        let answer = try connection.answer(to: list)
        for row in 0..<answer.rowCount {
          contents[answer.id(row, 0), default: []].append(UInt8(truncatingIfNeeded: index))
          contents[answer.id(row, 0), default: []] += answer.bytes(row, 1)
        }
      }
      return contents
    }
  }
#endif
