import FastMapCore
import TestSupport
import Testing

extension Row {
  /// The export of an instance writes the values of its properties.
  private func text(of values: (V, V?), _ id: Int) -> String {
    func exported(_ value: V?) -> String? {
      samples.first { $0.isWritten && Self.areAlike($0.value, value) }?.exported
    }
    let members = [
      "\"id\":\(id)", exported(values.0).map { "\"plain\":\($0)" },
      exported(values.1).map { "\"maybe\":\($0)" },
    ]
    return "{\(members.compactMap(\.self).joined(separator: ","))}"
  }

  func makesInstances() throws {
    let bench = try Bench(self, .memory)
    let made = try bench.mapping.objects(from: bench.payload())
    bench.expect(made.objects, "without a store")
    let text = bench.keys.map { self.text(of: (bench.plain($0)!, bench.maybe($0)), $0) }.joined(
      separator: ",")
    #expect(try Serializer(bench.mapping).json(of: made.objects) == "[\(text)]")

    // An instance is filled with the values of each item. Null is a value of an optional.
    let item = Item(initial)
    for key in bench.keys {
      try bench.mapping.fill(
        item, from: bench.payload([key]).dropFirst().dropLast().replacing("\"id\":\(key),", with: ""))
      #expect(Self.areAlike(item.plain, bench.plain(key)) && Self.areAlike(item.maybe, bench.maybe(key)))
    }
    let before = (item.plain, item.maybe)
    try bench.mapping.fill(item, from: #"{"id":5}"#)
    #expect(item.id == 5 && Self.areAlike(item.plain, before.0) && Self.areAlike(item.maybe, before.1))
    for json in unreadable where isScalar {
      #expect(throws: MappingError.self) { try bench.mapping.objects(from: #"{"id":1,"plain":\#(json)}"#) }
    }
  }

  func fills(_ kind: StoreKind) throws {
    var bench = try Bench(self, kind)
    let context = try ObjectContext(bench.store, for: bench.mapping)
    defer { context.end() }
    let items = try context.objects(from: bench.payload(), as: bench.mapping)
    bench.expect(items, "from a payload")
    for (key, state) in bench.model where key % 2 == 1 {
      bench.model[key] = .init(plain: (state.plain + 1) % samples.count, maybe: state.maybe == nil ? 0 : nil)
    }
    let report = try context.importJSON(bench.payload(), as: bench.mapping)
    #expect(report["Item"] == .init(updated: (bench.model.count + 1) / 2, unchanged: bench.model.count / 2))
    bench.expect(items, "imported")
    #expect(try !context.hasChanges())

    // A draft becomes a stored object, and a stored one takes the payload.
    let draft = Item(initial)
    bench.model[100] = .init(plain: 1, maybe: 0)
    let payload = bench.payload([100]).dropFirst().dropLast()
    try context.fill(draft, from: String(payload), as: bench.mapping)
    try context.save()
    bench.expect(items + [draft], "a draft")
    bench.model[1]!.maybe = 1
    try context.fill(items[0], from: #"{"id":1,"maybe":\#(samples[1].json)}"#, as: bench.mapping)
    bench.expect(items + [draft], "filled")
    try bench.check("filled")
  }

  func refusesToShow(_ kind: StoreKind) throws {
    for json in unreadable { try refusesToShow(json, kind) }
  }

  private func refusesToShow(_ json: String, _ kind: StoreKind) throws {
    let bench = try Bench.loaded(self, kind)
    let type = V.attributeType
    let wide = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("plain", type)
      Attribute("maybe", type)
    }
    let stored = #"[{"id":1,"plain":\#(json)},{"id":2,"maybe":\#(json)}]"#
    #expect(try summary(Mapper(bench.store).importJSON(stored, as: wide)) == "Item ~2")
    let messages = [
      "Item 1.plain: expected a value of \(V.self), found \(json) in the store",
      "Item 2.maybe: expected a value of \(V?.self), found \(json) in the store",
    ]
    let readable = bench.keys.filter { $0 > 2 }
    try bench.store.read(bench.mapping) { snapshot in
      for (key, text) in zip([1, 2], messages) {
        #expect(message { _ = try snapshot.object(bench.mapping, key: key) } == text)
      }
      #expect(message { _ = try snapshot.objects(bench.mapping) } == messages[0])
      let unreadable = UnreadableObjects()
      let found = try snapshot.objects(bench.mapping, unreadable: .skip(unreadable))
      #expect(found.map(\.id) == readable)
      #expect(unreadable.errors.map(\.description) == messages)
      #expect(try snapshot.count(bench.mapping) == bench.model.count)
      #expect(try snapshot.keys(bench.mapping.query) == bench.keys { _ in true })
      #expect(try snapshot.keys(bench.mapping.where(Filter("@.maybe"))).contains(2))
      #expect(try snapshot.record("Item", key: 1)?["plain"] != nil)
      for sample in samples {
        guard let filters = equality(sample.value) else { continue }
        #expect(try !snapshot.keys(bench.mapping.where(filters[0])).contains(1), "\(sample.json)")
        #expect(try !snapshot.keys(bench.mapping.where(filters[1])).contains(2), "\(sample.json)")
      }
    }
    let text = try bench.store.exported(bench.mapping)
    #expect(text.contains(#"{"id":1,"plain":\#(json)"#))
    // A context shows the other objects, and a save leaves the unreadable ones.
    try bench.store.withContext(for: bench.mapping) { context in
      #expect(message { _ = try context.objects(bench.mapping) } == messages[0])
      let unreadable = UnreadableObjects()
      let items = try context.objects(bench.mapping, unreadable: .skip(unreadable))
      #expect(items.map(\.id) == readable && unreadable.count == 2)
      items[0].maybe = items[0].maybe == nil ? samples[0].value : nil
      #expect(try summary(context.save()) == "Item ~1")
    }
    // The same value again changes nothing; one that fits mends it.
    #expect(try summary(Mapper(bench.store).importJSON(stored, as: wide)) == "Item =2")
    try bench.load(bench.payload())
    try bench.check("mended")
  }
}
