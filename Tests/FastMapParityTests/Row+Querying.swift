import FastMapCore
import FastMapQueries
import TestSupport
import Testing

extension Row {
  private static var indexes: [Index] { [Index("plain"), Index("-maybe", "plain")] }

  func queries(_ kind: StoreKind, isIndexed: Bool) throws {
    if isIndexed && !isScalar { return }
    let bench = try Bench.loaded(self, kind, isIndexed ? Self.indexes : [])
    try bench.store.read(bench.mapping) { snapshot in
      let asked = Asked(bench: bench, isIndexed: isIndexed)
      try asked.expect("no value", Filter(Object.self) { $0.maybe == nil }, in: &snapshot) { _, maybe in
        maybe == nil
      }
      try asked.expect("a value", Filter(Object.self) { $0.maybe != nil }, in: &snapshot) { _, maybe in
        maybe != nil
      }
      let query = bench.mapping.where { $0.maybe != nil }
      #expect(try snapshot.exists(query) && !snapshot.exists(query.where { $0.id > 1000 }))
      #expect(try snapshot.objects(query).map { PrimaryKey($0.id) } == bench.keys { $0.maybe != nil })
      try asked.expect("exists", Filter("@.maybe"), in: &snapshot) { _, maybe in maybe != nil }
      try asked.expect("a value", Filter("@.plain"), in: &snapshot) { _, _ in true }
      for (number, element) in elements.enumerated() {
        try asked.expect("element \(number)", element.plain, in: &snapshot) { plain, _ in element.isIn(plain)
        }
        try asked.expect("element \(number)", element.maybe, in: &snapshot) { _, maybe in
          maybe.map(element.isIn) ?? false
        }
      }
      for sample in samples {
        guard let equality = equality(sample.value) else {
          let refused = Filter(Object.self) { $0.plain == sample.value }
          #expect(throws: FilterError.self) { _ = try snapshot.keys(bench.mapping.where(refused)) }
          continue
        }
        try askAbout(sample, equality, asked, &snapshot)
      }
    }
  }

  private func askAbout(
    _ sample: Sample<V>, _ equality: [Filter], _ asked: Asked<V>, _ snapshot: inout Snapshot
  ) throws {
    let value = sample.value
    let text = sample.json
    try asked.expect("plain == \(text)", equality[0], in: &snapshot) { plain, _ in plain == value }
    try asked.expect("maybe == \(text)", equality[1], in: &snapshot) { _, maybe in maybe == value }
    try asked.expect("both", equality[0] && equality[1], in: &snapshot) { $0 == value && $1 == value }
    try asked.expect("either", equality[0] || equality[1], in: &snapshot) { $0 == value || $1 == value }
    try asked.expect("plain != \(text)", Filter(Object.self) { $0.plain != value }, in: &snapshot) {
      plain, _ in
      plain != value
    }
    try asked.expect("maybe != \(text)", Filter(Object.self) { $0.maybe != value }, in: &snapshot) {
      _, maybe in
      maybe != value
    }
    let other = samples[0].value
    try asked.expect(
      "plain in \(text)", Filter(Object.self) { $0.plain.isIn([value, other]) }, in: &snapshot
    ) {
      plain, _ in plain == value || plain == other
    }
    try asked.expect("maybe in \(text)", Filter(Object.self) { $0.maybe.isIn([value, nil]) }, in: &snapshot) {
      _, maybe in maybe == value || maybe == nil
    }
    // A text names the shown value, and a date in one format.
    if sample.isWritten, type == nil, transform == nil, let literal = sample.exported {
      try asked.expect("@.maybe == \(literal)", Filter("@.maybe == \(literal)"), in: &snapshot) { _, maybe in
        maybe == value
      }
    }
    guard let less, let comparisons = comparisons?(value) else { return }
    let truths: [(V) -> Bool] = [
      { less($0, value) }, { less($0, value) || $0 == value }, { less(value, $0) },
      { less(value, $0) || $0 == value },
    ]
    for (number, (filters, isTrue)) in zip(comparisons, truths).enumerated() {
      let name = "\(["<", "<=", ">", ">="][number]) \(text)"
      try asked.expect("plain \(name)", filters[0], in: &snapshot) { plain, _ in isTrue(plain) }
      try asked.expect("maybe \(name)", filters[1], in: &snapshot) { _, maybe in maybe.map(isTrue) ?? false }
    }
  }

  func sorts(_ kind: StoreKind, isIndexed: Bool) throws {
    guard let sortsBefore else { return }
    let bench = try Bench.loaded(self, kind, isIndexed ? Self.indexes : [])
    try bench.store.read(bench.mapping) { snapshot in
      let properties: [(String, (Int) -> V?)] = [("plain", bench.plain), ("maybe", bench.maybe)]
      for (name, value) in properties {
        // No value comes first.
        func isBefore(_ a: Int, _ b: Int) -> Bool? {
          switch (value(a), value(b)) {
          case (nil, nil): nil
          case (nil, _): true
          case (_, nil): false
          case (let a?, let b?): sortsBefore(a, b) ? true : sortsBefore(b, a) ? false : nil
          }
        }
        for descending in [false, true] {
          let expected = bench.keys.sorted { a, b in
            isBefore(a, b).map { $0 != descending } ?? (a < b)
          }
          let query = bench.mapping.sorted(by: name, descending: descending)
          let title: Comment = "\(name), descending: \(descending), indexed: \(isIndexed)"
          #expect(try snapshot.objects(query).map(\.id) == expected, title)
          #expect(try snapshot.objects(query.limit(3)).map(\.id) == Array(expected.prefix(3)), title)
          var paged: [Int] = []
          var position: Position?
          repeat {
            let page = try snapshot.page(query.limit(4).after(position))
            if page.elements.isEmpty { break }
            paged += page.elements.map(\.id)
            position = page.position
          } while paged.count < 100
          #expect(paged == expected, title)
        }
      }
    }
  }
}

/// Asks the store and the model.
private struct Asked<V: AttributeValue & Equatable & Sendable> where V.Unwrapped == V {
  let bench: Bench<V>
  let isIndexed: Bool

  /// - Parameter isTrue: The model's answer for the values of an item.
  func expect(
    _ name: String, _ filter: Filter, in snapshot: inout Snapshot,
    _ location: SourceLocation = #_sourceLocation,
    _ isTrue: (V, V?) -> Bool
  ) throws {
    let expected = bench.keys { state in
      isTrue(bench.row.samples[state.plain].value, state.maybe.map { bench.row.samples[$0].value })
    }
    let query = bench.mapping.where(filter)
    let title: Comment = "\(name), indexed: \(isIndexed)"
    #expect(try snapshot.keys(query) == expected, title, sourceLocation: location)
    if isIndexed { return }
    #expect(try snapshot.count(query) == expected.count, title, sourceLocation: location)
    let rest = bench.keys { _ in true }.filter { !expected.contains($0) }
    #expect(try snapshot.keys(bench.mapping.where(!filter)) == rest, "not \(title)", sourceLocation: location)
  }
}

extension Row {
  /// The filter `property == value`.
  func filter<Value>(_ property: KeyPath<Thing, Value>, _ value: Value) -> Filter
  where Value: AttributeValue, Value.Unwrapped == V {
    Filter(Thing.self) { $0[dynamicMember: property] as FilterValue<Value> == value }
  }
}
