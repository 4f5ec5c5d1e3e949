import FastMapCore
import FastMapQueries
import TestSupport
import Testing

/// The initial value of `plain`, the first sample, is its default.
extension Row {
  func takesDefaults(_ kind: StoreKind) throws {
    for isIndexed in isScalar ? [false, true] : [false] {
      let indexes = isIndexed ? [Index("plain")] : []
      try storesDefaults(Bench(self, kind, indexes))
      try showsNewDefaults(Bench(self, kind, indexes))
    }
  }

  /// New objects whose payload lacks the member, or has null.
  private func storesDefaults(_ empty: Bench<V>) throws {
    var bench = empty
    let count = bench.model.count
    for key in bench.keys where key % 3 != 0 { bench.model[key]!.plain = 0 }
    let items = bench.keys.map { key in
      let plain = [bench.sample(key, \.optionalPlain)!.json, nil, "null"][key % 3]
      return #"{"id":\#(key),\#(plain.map { #""plain":\#($0),"# } ?? "")"maybe":\#(bench.maybeJSON(key))}"#
    }
    let payload = "[\(items.joined(separator: ","))]"
    #expect(try bench.load(payload) == "Item +\(count)")
    try bench.check("with defaults")
    try asksForDefaults(bench, "with defaults")
    #expect(try bench.load(payload) == "Item =\(count)")
    #expect(try bench.load(bench.store.exported(bench.mapping)) == "Item =\(count)")
    // A stored value stays where a payload lacks the member.
    bench.model[1]!.plain = samples.count - 1
    #expect(try bench.load(bench.payload([1])) == "Item ~1")
    #expect(try bench.load(#"[{"id":1},{"id":1,"plain":null}]"#) == "Item =1")
    try bench.check("a stored value stays")
  }

  /// Objects from before the attribute.
  private func showsNewDefaults(_ empty: Bench<V>) throws {
    var bench = empty
    let initial = initial
    let early = Mapping(Object.self, "Item", primaryKey: "id", make: { Object(initial) }) {
      Attribute("id", \.id)
      attribute("maybe", \.maybe)
    }
    _ = try Mapper(bench.store).importJSON(bench.payload(), as: early)
    for key in bench.keys { bench.model[key]!.plain = 0 }
    try bench.check("before the first write")
    try asksForDefaults(bench, "before the first write")
    #expect(try bench.load(#"{"id":1}"#) == "Item =1")
    try bench.check("after the first write")
    bench.model[2]!.plain = samples.count - 1
    #expect(try bench.load(bench.payload([2])) == "Item ~1")
    try bench.check("after a change")
    try asksForDefaults(bench, "after a change")
  }

  private func asksForDefaults(_ bench: Bench<V>, _ moment: Comment) throws {
    try bench.store.read(bench.mapping) { snapshot in
      for sample in samples {
        guard let filter = equality(sample.value)?[0] else { continue }
        let expected = bench.keys { samples[$0.plain].value == sample.value }
        let found = try snapshot.keys(bench.mapping.where(filter))
        #expect(found == expected, "\(moment): \(sample.json)")
      }
      guard let sortsBefore else { return }
      let expected = bench.keys.sorted { a, b in
        let (first, second) = (bench.plain(a)!, bench.plain(b)!)
        return sortsBefore(first, second) || !sortsBefore(second, first) && a < b
      }
      let found = try snapshot.objects(bench.mapping.sorted(by: "plain")).map(\.id)
      #expect(found == expected, moment)
    }
  }
}

extension Bench {
  fileprivate func maybeJSON(_ key: Int) -> String { sample(key, \.maybe)?.json ?? "null" }
}
