#if Postgres
  internal import FastMapStoreKit
  internal import FastMapSQL

  /// The updates of one entity's rows, in one statement, however many different sets of fields they have.
  ///
  /// The server compares: it writes no row whose values are equal, and returns which differ. A row of equal values whose
  /// fingerprint is unknown gets one. PostgreSQL returns new values, so such rows are joined with the old ones, which costs
  /// as much as the update itself.
  struct Update {
    fileprivate struct Column {
      let number: Int
      let field: Binding.BoundField
      let type: TypeOID
      /// Whether some of the changes leave it alone.
      let isPartial: Bool
    }

    private let bound: Binding.Entity
    private let columns: [Column]
    private let statement: Statement

    /// - Parameter gainsFingerprints: Whether rows may lack a fingerprint that the changes have.
    init(_ bound: Binding.Entity, _ indices: [Int], _ changes: [ObjectChange], gainsFingerprints: Bool) {
      self.bound = bound
      var columns: [Column] = []
      for (number, field) in bound.fields.enumerated() {
        guard let field, let type = field.columnType else { continue }
        var (isSet, isPartial) = (false, false)
        for index in indices {
          if Self.sets(number, changes[index]) { isSet = true } else { isPartial = true }
        }
        if isSet { columns.append(Column(number: number, field: field, type: type, isPartial: isPartial)) }
      }
      self.columns = columns
      statement = Self.statement(bound, columns, gainsFingerprints)
    }

    /// The key of an object never changes.
    @inline(__always)
    private static func sets(_ field: Int, _ change: ObjectChange) -> Bool {
      field != change.keyField && !change.row[field].isMissing
    }

    private static func statement(
      _ bound: Binding.Entity, _ columns: [Column], _ gainsFingerprints: Bool
    ) -> Statement {
      var types = ([.int8, .int4, .boolean, .uuid] as [TypeOID]).map(\.array)
      var names = ["id", "shard", "forced", "fingerprint"]
      var assignments = ["fastmap_fingerprint = u.fingerprint"]
      var differences: [String] = []
      let (old, new) = gainsFingerprints ? ("o", "n") : ("t", "u")
      for (place, column) in columns.enumerated() {
        let mask = "s\(place)"
        if column.isPartial {
          names.append(mask)
          types.append(.boolean.array)
        }
        var conditions: [String] = []
        func add(_ name: String, _ identifier: String, _ type: TypeOID, _ difference: String?) {
          names.append(name)
          types.append(type.array)
          if let difference { conditions.append(difference) }
          assignments.append(
            column.assignment(
              of: identifier, "u.\(name)", value: "u.c\(place)", mask: column.isPartial ? "u.\(mask)" : nil))
        }
        let identifier = column.field.identifier
        add(
          "c\(place)", identifier, column.type, column.difference("\(old).\(identifier)", "\(new).c\(place)"))
        if let exact = column.field.exact {
          let isValue = column.isDecimal
          add("e\(place)", exact, .text, isValue ? nil : "\(old).\(exact) IS DISTINCT FROM \(new).e\(place)")
        }
        let difference = conditions.joined(separator: " OR ")
        differences.append(column.isPartial ? "(\(new).\(mask) AND (\(difference)))" : difference)
      }
      let parameters = types.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
      let rows = "unnest(\(parameters)) WITH ORDINALITY \(new) (\(names.joined(separator: ", ")), i)"
      let differs = differences.isEmpty ? "false" : differences.joined(separator: " OR ")
      let update = "UPDATE \(bound.table) t SET \(assignments.joined(separator: ", "))"
      let isRow = "t.fastmap_id = u.id AND t.fastmap_shard = u.shard"
      let text =
        gainsFingerprints
        ? """
        \(update) FROM (
          SELECT n.*, o.fastmap_fingerprint IS NULL AS lacks, \(differs) AS differs
          FROM \(rows) JOIN \(bound.table) o ON o.fastmap_id = n.id AND o.fastmap_shard = n.shard
        ) u
        WHERE \(isRow) AND (u.differs OR u.forced OR (u.lacks AND u.fingerprint IS NOT NULL))
        RETURNING u.i, u.differs
        """ : "\(update) FROM \(rows) WHERE \(isRow) AND (u.forced OR \(differs)) RETURNING u.i, true"
      return Statement(text, types: types, about: bound.subject)
    }

    /// Sends the update of some of the changes.
    ///
    /// - Parameter isForced: Whether a change has altered more than the row.
    func send(
      _ indices: ArraySlice<Int>, _ isForced: ArraySlice<Bool>, _ changes: [ObjectChange],
      _ connection: Connection
    ) throws -> Ticket {
      let arrays = statement.columns(capacity: indices.count * 12)
      for (index, isForced) in zip(indices, isForced) {
        let change = changes[index]
        let row = change.row
        arrays[0].int8(change.id.column)
        arrays[1].next().int4(change.id.shard)
        arrays[2].next().boolean(isForced)
        if let fingerprint = change.fingerprint {
          // The object may have values of fields that the schema does not name.
          arrays[3].next().uuid(fingerprint.high, bound.hasAllFields ? fingerprint.low : 0)
        } else {
          arrays[3].null()
        }
        var place = 4
        for column in columns {
          let isSet = Self.sets(column.number, change)
          if column.isPartial {
            arrays[place].next().boolean(isSet)
            place += 1
          }
          let value = isSet ? row[column.number] : .missing
          switch column.field.kind {
          case .attribute(let kind) where kind.hasExact:
            kind.write(value, to: arrays[place].next(), exact: arrays[place + 1].next())
            place += 2
          case .attribute(let kind):
            let buffer = arrays[place].next()
            kind.write(value, to: buffer, exact: buffer)
            place += 1
          case .toOne:
            if let target = value.target { arrays[place].int8(target.column) } else { arrays[place].null() }
            place += 1
          case .toMany: break
          }
        }
      }
      var parameters = Parameters()
      for array in arrays { parameters.column(array) }
      return try connection.send(statement, parameters)
    }
  }

  extension Update.Column {
    /// Whether two values are equal if their first columns are.
    fileprivate var isDecimal: Bool {
      if case .attribute(.decimal) = field.kind { true } else { false }
    }

    /// The assignment of a value. A decimal that is equal to the stored one leaves its digits alone.
    ///
    /// - Parameters:
    ///   - identifier: One of the two columns.
    ///   - value: The new value of the first column.
    fileprivate func assignment(of identifier: String, _ new: String, value: String, mask: String?) -> String
    {
      var conditions = mask.map { [$0] } ?? []
      if isDecimal { conditions.append("t.\(field.identifier) IS DISTINCT FROM \(value)") }
      if conditions.isEmpty { return "\(identifier) = \(new)" }
      return
        "\(identifier) = CASE WHEN \(conditions.joined(separator: " AND ")) THEN \(new) ELSE t.\(identifier) END"
    }

    /// Whether two values are different, bit for bit.
    fileprivate func difference(_ old: String, _ new: String) -> String {
      switch field.kind {
      // For SQL, 0 equals -0.
      case .attribute(.number):
        "\(old) IS DISTINCT FROM \(new) OR (\(new) = 0 AND \(old)::text <> \(new)::text)"
      case .attribute(.json): "\(old)::text IS DISTINCT FROM \(new)::text"
      default: "\(old) IS DISTINCT FROM \(new)"
      }
    }
  }

  extension Statement {
    fileprivate func columns(capacity: Int) -> [ArrayColumn] {
      types.map { ArrayColumn(of: $0.element, capacity: capacity) }
    }
  }
#endif
