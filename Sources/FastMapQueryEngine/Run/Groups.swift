internal import CFastMap

/// Groups of objects with equal values, and numbers about each of them. Memory grows with the number of groups.
package final class Groups {
  private struct Column {
    let function: GroupColumn.Function
    /// The number of the term among the outputs of an object; 0 for the number of objects.
    let output: Int
    let kind: AttributeKind?
    let name: String
    var sums: [ExactSum] = []
    var extremes: [LiteralSlot?] = []
  }

  /// A column to sort by: of the groups' fields, and then of the numbers.
  package typealias Order = (column: Int, isDescending: Bool)

  /// Bytes that are equal for equal values.
  private struct Key: Hashable {
    var bytes: [UInt8] = []

    func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
  }

  /// The terms of an object that are read: the fields of the groups, and then the others.
  let terms: [BoundFilter.Term]
  private let fieldCount: Int
  private var columns: [Column]
  private var numbers: [Key: Int] = [:]
  private var key = Key()
  /// The objects of each group.
  fileprivate var counts: [Int] = []
  /// The fields of each group.
  private var slots: [fastmap_slot] = []
  private let memory = FilterMemory()
  /// The fields whose values are keys of objects.
  package let keyFields: Set<Int>

  /// - Throws: ``FilterError`` with all faults of the fields and columns.
  package init(
    _ fields: [FilterTerm], _ columns: [GroupColumn], of entity: Int, in plan: Plan
  ) throws(FilterError) {
    var binder = FilterBinder(plan)
    var bound = fields.map { binder.sortTerm($0, of: entity, to: "to group by") }
    var made: [Column] = []
    for column in columns {
      guard let term = column.term else {
        made.append(Column(function: column.function, output: 0, kind: nil, name: "count"))
        continue
      }
      let value = binder.sortTerm(term, of: entity, to: "for \(column.function)")
      let name = "\(column.function)(\(value?.path ?? ""))"
      let kind: AttributeKind? = if case .value(let kind)? = value?.kind { kind } else { nil }
      if let value, column.function == .sum || column.function == .avg,
        ![.integer, .number, .decimal].contains(kind)
      {
        binder.report(
          value.place, value.text,
          "expected numbers for \(column.function), found \(value.kind.phrase)")
      }
      made.append(Column(function: column.function, output: bound.count, kind: kind, name: name))
      bound.append(value)
    }
    try binder.check()
    fieldCount = fields.count
    self.columns = made
    terms = bound.compactMap { $0?.term }
    keyFields = Set(
      bound.prefix(fields.count).indices.filter {
        if case .object? = bound[$0]?.kind { true } else { false }
      })
    // Without fields, no objects are a group too.
    if fields.isEmpty { _ = try? number(of: .init(start: nil, count: 0)) }
  }

  /// - Parameter outputs: The values of the terms of an object.
  func add(_ outputs: UnsafeBufferPointer<fastmap_slot>) throws {
    let group = try number(of: UnsafeBufferPointer(rebasing: outputs.prefix(fieldCount)))
    counts[group] += 1
    for index in columns.indices {
      let function = columns[index].function
      if function == .count { continue }
      let slot = outputs[columns[index].output].withoutSign
      if function == .sum || function == .avg {
        columns[index].sums[group].add(slot)
      } else if slot.kind != .missing, slot.isBetter(than: columns[index].extremes[group]?.slot, as: function)
      {
        columns[index].extremes[group] = slot.value.map { LiteralSlot($0) }
      }
    }
  }

  private func number(of fields: UnsafeBufferPointer<fastmap_slot>) throws -> Int {
    key.bytes.removeAll(keepingCapacity: true)
    for slot in fields { slot.addIdentity(to: &key.bytes) }
    if let known = numbers[key] {
      for (index, slot) in fields.enumerated() where slot.kind == .decimal {
        let place = known * fieldCount + index
        if slot.isWrittenBefore(slots[place]) { slots[place] = try memory.copy(slot) }
      }
      return known
    }
    numbers[key] = counts.count
    for slot in fields { slots.append(try memory.copy(slot.withoutSign)) }
    for index in columns.indices {
      switch columns[index].function {
      case .count: break
      case .sum, .avg: columns[index].sums.append(ExactSum())
      case .min, .max: columns[index].extremes.append(nil)
      }
    }
    counts.append(0)
    return counts.count - 1
  }

  // MARK: Results

  /// The groups in order, ascending by their fields where the columns leave it open.
  package func sorted(by order: [Order]) throws -> [Int] {
    var values: [[LiteralSlot]] = []
    for term in order where term.column >= fieldCount {
      values.append(try counts.indices.map { LiteralSlot(try number(term.column - fieldCount, of: $0)) })
    }
    return counts.indices.sorted { a, b in
      var next = 0
      for term in order {
        var order: Int
        if term.column < fieldCount {
          order = self.order(term.column, a, b)
        } else {
          order = values[next][a].slot.sortOrder(to: values[next][b].slot)
          next += 1
        }
        if order != 0 { return (order < 0) != term.isDescending }
      }
      for field in 0..<fieldCount {
        let order = self.order(field, a, b)
        if order != 0 { return order < 0 }
      }
      return false
    }
  }

  private func order(_ field: Int, _ a: Int, _ b: Int) -> Int {
    slots[a * fieldCount + field].sortOrder(to: slots[b * fieldCount + field])
  }

  /// The fields of a group, and then its numbers; null for no value.
  ///
  /// - Throws: ``SumTooLargeError``.
  package func row(_ group: Int) throws -> [Value] {
    let fields = slots[group * fieldCount..<(group + 1) * fieldCount].map { $0.value ?? .null }
    return try fields + columns.indices.map { try number($0, of: group) }
  }

  private func number(_ index: Int, of group: Int) throws(SumTooLargeError) -> Value {
    let column = columns[index]
    switch column.function {
    case .count: return .integer(Int64(counts[group]))
    case .min, .max: return column.extremes[group]?.slot.value ?? .null
    case .sum, .avg: break
    }
    let sum = column.sums[group]
    if sum.count == 0 { return .null }
    let value: Value? =
      switch (column.function, column.kind) {
      case (.sum, .integer): sum.integer
      case (.sum, .decimal): sum.decimal.map { .decimal($0) }
      default: sum.quotient(by: column.function == .avg ? sum.count : 1).map { .number($0) }
      }
    guard let value else { throw SumTooLargeError(column: column.name) }
    return value
  }
}

/// A sum of a group is too large for the type of its values.
package struct SumTooLargeError: Error, CustomStringConvertible {
  let column: String

  package var description: String { "\(escaped(column)): the exact value is too large for its type" }
}

extension fastmap_slot {
  /// Adds bytes that are equal for equal values, and begin no others.
  fileprivate func addIdentity(to bytes: inout [UInt8]) {
    func add(_ integer: some FixedWidthInteger) { withUnsafeBytes(of: integer) { bytes += $0 } }
    bytes.append(tag)
    switch kind {
    case .missing, .null, .node, .targets: break
    case .boolean, .integer, .unsigned, .target: add(integer)
    case .number: add(number.isNaN ? Double.nan.bitPattern : withoutSign.number.bitPattern)
    case .date:
      add(integer)
      add(length)
    case .decimal: bytes += DecimalNumber(checked: span).sortKey
    case .string, .data, .json:
      add(length)
      bytes += span
    }
  }

  /// Zero in place of the zero below it, which is equal.
  fileprivate var withoutSign: fastmap_slot {
    var slot = self
    if kind == .number, number == 0 { slot.number = 0 }
    return slot
  }

  /// Whether it is less than the least value so far, or greater than the greatest.
  fileprivate func isBetter(than other: fastmap_slot?, as function: GroupColumn.Function) -> Bool {
    guard let other else { return true }
    let order = sortOrder(to: other)
    if order == 0 { return kind == .decimal && isWrittenBefore(other) }
    return (order < 0) == (function == .min)
  }

  /// Whether it is the shorter text of a decimal, so that the order of the objects does not matter.
  fileprivate func isWrittenBefore(_ other: fastmap_slot) -> Bool {
    length != other.length ? length < other.length : span.order(to: other.span) < 0
  }
}

extension StoreReader {
  /// The groups of the results of a query.
  package mutating func groups(
    of query: BoundQuery, by fields: [FilterTerm], _ columns: [GroupColumn]
  ) throws -> Groups {
    let groups = try Groups(fields, columns, of: query.entity, in: query.plan)
    let values = FilterRunner(
      FilterProgram(.constant(true), query.entity, query.plan, sortedBy: groups.terms))
    var run = QueryRun(query.limit == .max && query.start == nil ? query.unsorted : query)
    // Without a term, no object is read.
    if groups.terms.isEmpty {
      groups.counts[0] = try run.count(&self)
      return groups
    }
    try run.forEachPage(&self) { reader, page in
      try values.run(page.ids, &reader) { _, outputs in try groups.add(outputs) }
      return true
    }
    return groups
  }
}
