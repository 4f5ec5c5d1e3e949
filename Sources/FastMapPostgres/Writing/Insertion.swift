#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL
  internal import FastMapSystem
  internal import Synchronization

  /// The new rows of one entity's table.
  struct Insertion {
    /// The changes with the rows, as many as one statement may have.
    private(set) var changes: ArraySlice<Int>
    private let bound: Binding.Entity
    private let columns: [(name: String, type: TypeOID)]
    private let fields: [(number: Int, kind: Binding.BoundField.Kind)]
    /// Whether keys have a column that is not one of the fields.
    private let hasKeyColumn: Bool

    static func all(
      _ bound: Binding.Entity, _ indices: [Int], _ changes: [ObjectChange], _ bounds: StatementBounds
    ) -> [Insertion] {
      if indices.isEmpty { return [] }
      var insertion = Insertion(bound)
      let doubled = bound.doubledFields
      return bounds.ranges(indices.indices) { changes[indices[$0]].byteCount(doubled) }.map {
        insertion.changes = indices[$0]
        return insertion
      }
    }

    /// Without rows.
    private init(_ bound: Binding.Entity) {
      self.bound = bound
      changes = []
      var columns: [(name: String, type: TypeOID)] = [
        ("fastmap_id", .int8), ("fastmap_shard", .int4), ("fastmap_order", .int8),
        ("fastmap_fingerprint", .uuid),
      ]
      var fields: [(number: Int, kind: Binding.BoundField.Kind)] = []
      var isKeyMissing = bound.key != nil
      for (number, field) in bound.fields.enumerated() {
        guard let field, let type = field.columnType else { continue }
        fields.append((number, field.kind))
        columns.append((field.identifier, type))
        if let exact = field.exact { columns.append((exact, .text)) }
        if let key = bound.key, NameIndex.isSame(field.identifier, key) { isKeyMissing = false }
      }
      hasKeyColumn = isKeyMissing
      if isKeyMissing, let key = bound.key { columns.append((key, bound.keyKind == .string ? .text : .int8)) }
      self.columns = columns
      self.fields = fields
    }

    private var names: String { columns.map(\.name).joined(separator: ", ") }

    var subject: Subject { bound.subject }

    var copyText: String { "COPY \(bound.table) (\(names)) FROM STDIN (FORMAT binary)" }

    func copy(_ changes: [ObjectChange], to writer: borrowing CopyWriter) throws {
      let fields = writer.fields
      var order = CreationOrder()
      for index in self.changes {
        try writer.beginRow(columns: columns.count)
        write(changes[index], &order) { _ in fields }
      }
    }

    /// Sends an INSERT. Its errors come with the next answer.
    func send(_ changes: [ObjectChange], _ connection: Connection) throws {
      let arrays = columns.map { ArrayColumn(of: $0.type, capacity: self.changes.count * 16) }
      var order = CreationOrder()
      for index in self.changes { write(changes[index], &order) { arrays[$0].next() } }
      var parameters = Parameters()
      for array in arrays { parameters.column(array) }
      let values = columns.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
      try connection.sendQuietly(
        Statement(
          "INSERT INTO \(bound.table) (\(names)) SELECT * FROM unnest(\(values))",
          types: columns.map(\.type.array), about: subject), parameters)
    }

    /// Writes the values of a row.
    ///
    /// - Parameter column: Where the next value of a column is to be written.
    @inline(__always)
    private func write(
      _ change: ObjectChange, _ order: inout CreationOrder, _ column: (Int) -> FieldBuffer
    ) {
      column(0).int8(change.id.column)
      column(1).int4(change.id.shard)
      if change.keyField == nil { column(2).int8(order.next()) } else { column(2).null() }
      if let fingerprint = change.fingerprint {
        column(3).uuid(fingerprint.high, fingerprint.low)
      } else {
        column(3).null()
      }
      var place = 4
      let row = change.row
      for (number, kind) in fields {
        switch kind {
        case .attribute(let kind):
          let first = column(place)
          place += 1
          guard kind.hasExact else {
            kind.write(row[number], to: first, exact: first)
            continue
          }
          kind.write(row[number], to: first, exact: column(place))
          place += 1
        case .toOne:
          if let target = row[number].target {
            column(place).int8(target.column)
          } else {
            column(place).null()
          }
          place += 1
        case .toMany: break
        }
      }
      if hasKeyColumn {
        let key = change.keyField.map { row[$0] }
        if let bytes = key?.bytes {
          column(place).storedText(bytes)
        } else if let value = key?.integer {
          column(place).int8(value)
        } else {
          column(place).null()
        }
      }
    }
  }

  extension Binding.BoundField {
    /// The type of its column; nil for a to-many relationship.
    var columnType: TypeOID? {
      switch kind {
      case .attribute(let kind): kind.type
      case .toOne: .int8
      case .toMany: nil
      }
    }
  }

  /// Numbers that ascend with the time of creation, for objects without a key: microseconds since 1970, with ten more
  /// bits. No object of this process has an equal one.
  struct CreationOrder {
    private static let last = Atomic<Int64>(0)

    mutating func next() -> Int64 {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      let now = (Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000) << 10
      var known = Self.last.load(ordering: .relaxed)
      while true {
        let order = max(now, known + 1)
        let (isSet, found) = Self.last.weakCompareExchange(
          expected: known, desired: order, ordering: .relaxed)
        if isSet { return order }
        known = found
      }
    }
  }
#endif
