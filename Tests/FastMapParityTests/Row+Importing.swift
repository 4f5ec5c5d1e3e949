import FastMapCore
import FastMapQueries
import TestSupport
import Testing

extension Row: ParityRow {
  func imports(_ kind: StoreKind) throws {
    var bench = try Bench(self, kind)
    let count = bench.model.count
    #expect(try bench.load(bench.payload()) == "Item +\(count)")
    try bench.check("imported")
    #expect(try bench.load(bench.payload()) == "Item =\(count)")
    #expect(try bench.load(bench.payload(nil) { $0.spellings.last ?? $0.json }) == "Item =\(count)")
    try bench.check("imported again")

    // Two items get the next value, another loses one.
    let empty = bench.keys.first { bench.model[$0]?.maybe != nil && $0 > 2 }!
    for key in [1, 2] { bench.model[key]!.plain = (bench.model[key]!.plain + 1) % samples.count }
    bench.model[empty]!.maybe = nil
    #expect(try bench.load(bench.payload()) == "Item ~3 =\(count - 3)")
    try bench.check("changed")

    // A payload without the members leaves them.
    bench.model[1]!.maybe = 0
    #expect(try bench.load(#"[{"id":1,"maybe":\#(samples[0].json)},{"id":2}]"#) == "Item ~1 =1")
    try bench.check("changed in part")
    // Null clears optional members.
    bench.model[1]!.maybe = nil
    #expect(try bench.load(#"{"id":1,"maybe":null}"#) == "Item ~1")
    #expect(try bench.load(#"{"id":1,"maybe":null}"#) == "Item =1")
    try bench.check("cleared")
    // An import of the export changes nothing.
    #expect(try bench.load(bench.store.exported(bench.mapping)) == "Item =\(count)")
  }

  func deletes(_ kind: StoreKind) throws {
    var bench = try Bench.loaded(self, kind)
    if let filter = equality(samples[0].value)?[0] {
      let gone = bench.keys { Self.areAlike(samples[$0.plain].value, samples[0].value) }
      #expect(try bench.store.delete(bench.mapping.where(filter)).total == gone.count)
      for key in bench.keys where gone.contains(PrimaryKey(key)) { bench.model[key] = nil }
      try bench.check("some are deleted")
    }
    let without = bench.keys { $0.maybe == nil }
    #expect(try bench.store.delete(bench.mapping.where { $0.maybe == nil }).total == without.count)
    for key in bench.keys where without.contains(PrimaryKey(key)) { bench.model[key] = nil }
    try bench.check("those without a value are deleted")
  }

  /// The second object with a value is left out; objects without one are not compared. NaN is a value like others here.
  func keepsUnique(_ kind: StoreKind) throws {
    guard isScalar else { return }
    var bench = try Bench(self, kind, [Index("maybe", isUnique: true)])
    let options = ImportOptions(faults: .skip)
    for number in samples.indices {
      let (first, second) = (2 * number + 1, 2 * number + 2)
      bench.model = [first: .init(plain: 0, maybe: number), second: .init(plain: 0, maybe: number)]
      let report = try Mapper(bench.store).importJSON(bench.payload(), as: bench.mapping, options: options)
      #expect(summary(report) == "Item +1 !1", "\(samples[number].json)")
      #expect(report.errors.map { "\($0.path)" } == ["$[1]"])
      let items = try bench.store.read { try $0.objects(bench.mapping.keys(first...)) }
      #expect(items.map(\.id) == [first])
      // A save refuses it too.
      guard samples[number].isWritten else { continue }
      try bench.store.withContext(for: bench.mapping) { context in
        let item = Item(initial)
        (item.id, item.maybe) = (second, samples[number].value)
        try context.insert(item, as: bench.mapping)
        #expect(throws: (any Error).self, "\(samples[number].json)") { try context.save() }
        item.maybe = nil
        try context.save()
        try context.delete(item)
        try context.save()
      }
    }
  }

  /// The filters `plain == value` and `maybe == value`; nil for a value that a filter cannot compare.
  func equality(_ value: V) -> [Filter]? {
    guard isScalar, value == value else { return nil }
    return [Filter(Object.self) { $0.plain == value }, Filter(Object.self) { $0.maybe == value }]
  }
}
