internal import FastMapCore

extension StoreContract {
  static var preparingChecks: [Check] {
    [
      Check("Preparing a schema makes no objects, and doing it again adds nothing") { contract in
        let bench = try contract.makeBench()
        let words = Bench(store: bench.store, plan: try Plan(Fixture.word))
        _ = try bench.store.prepare(bench.plan.schema)
        try expect("the notes of the second time", bench.store.prepare(bench.plan.schema), is: [])
        try expect("the objects", [bench.count(), bench.count(of: 1)], is: [0, 0])
        try bench.load(#"[{"id":1,"name":"a","one":2}]"#)
        _ = try bench.store.prepare(words.plan.schema)
        try expect("the notes of a third time", bench.store.prepare(bench.plan.schema), is: [])
        try bench.expectObject(1, is: #"name="a" one=2"#)
        try words.load(#"{"id":"a"}"#)
        try expect("the words", words.count(), is: 1)
      },
      Check("Preparing a schema that does not fit adds nothing of it") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a"}"#)
        // A store that adds fields in its writes has nothing to prepare, and nothing to refuse.
        do { _ = try bench.store.prepare(Unfit.both.plan().schema) } catch {}
        let other = Bench(store: bench.store, plan: try Plan(Unfit.free))
        try other.load(#"{"id":1,"name":"free"}"#)
        try other.expectObject(1, is: #"name="free""#)
        try bench.expectObject(1, is: #"name="a""#)
      },
      Check("A dry run of a schema that was not prepared counts as the import does, and adds nothing") {
        contract in
        let bench = try contract.makeBench(Unfit.free)
        let json = #"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":1,"name":"c"}]"#
        let first = try bench.load(json, options: ImportOptions(isDryRun: true))
        try expect("the report", first["Other"], is: .init(inserted: 2))
        try expect("the objects after a dry run", bench.count(), is: 0)
        // The entity has no kinds yet.
        let otherwise = try Plan(Unfit.otherwise)
        try bench.store.write(otherwise.schema) { _ in .rollBack(()) }
        try expect(
          "the report", bench.load(#"{"id":1,"name":5}"#, as: otherwise)["Other"], is: .init(inserted: 1))
        try expect("what is stored", bench.show(1, as: otherwise), is: "name=5")
      },
      Check("A dry run beside stored objects counts as the import does, also with fields that are new") {
        contract in
        let bench = try contract.makeBench(Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
        try bench.load(#"[{"id":1},{"id":2},{"id":3}]"#)
        let large = Bench(store: bench.store, plan: try Plan(Fixture.item))
        let json = #"[{"id":1,"name":"a","many":[2,4]},{"id":2},{"id":5,"notes":[{"text":"n"}]}]"#
        let dry = try large.dryRun(json)
        try expect("the objects after a dry run", [large.count(), large.count(of: 1)], is: [3, 0])
        try large.expectObject(1, is: "")
        let wet = try large.load(json)
        try expect("the report of the dry run", dry.entities, is: wet.entities)
        try large.expectObject(1, is: #"name="a" many=[2 4]"#)
      },
      Check("A new attribute with a default is read with it, and the next write stores it in all objects") {
        contract in
        let small = try contract.makeBench(Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
        try small.load(#"[{"id":1},{"id":2}]"#)
        let mapping = Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .string).default("a")
        }
        let large = Bench(store: small.store, plan: try Plan(mapping))
        try large.expectObject(1, is: #"name="a""#)
        let json = #"[{"id":1},{"id":2,"name":"b"},{"id":1,"name":"a"}]"#
        let dry = try large.dryRun(json)
        try large.expectObject(2, is: #"name="a""#)
        try expect("the report of the dry run", dry["Item"], is: .init(updated: 1, unchanged: 1))
        try expect("the report", large.load(json)["Item"], is: .init(updated: 1, unchanged: 1))
        let plain = Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .string)
        }
        let stored = Bench(store: small.store, plan: try Plan(plain))
        try stored.expectObject(1, is: #"name="a""#)
        try stored.expectObject(2, is: #"name="b""#)
      },
      Check("A dry run deletes as the import does, what it has made itself too, and of new relationships") {
        contract in
        let bare = Mapping("Shelf", primaryKey: "id") { Attribute("id", .integer) }
        // After the filler is another batch.
        let filler = (1000..<1200).map { #","# + "{\"id\":\($0)}" }.joined()
        for (name, first, then) in Owned.payloads {
          for (stored, filler) in [(0, ""), (0, filler), (3, filler)] {
            let bench = try contract.makeBench(Owned.shelf)
            if stored > 0 { try bench.load(#"[{"id":1},{"id":2},{"id":9}]"#, as: Plan(bare)) }
            let json = "[\(first)\(filler),\(then)]"
            let dry = try bench.dryRun(json)
            try expect("\(name): the shelves after a dry run", bench.count(), is: stored)
            try expect("\(name): the report of the dry run", dry.entities, is: bench.load(json).entities)
          }
        }
      },
    ]
  }
}

/// Objects that own others, two levels deep.
private enum Owned {
  static let thing = Mapping("Thing") { Attribute("text", .string) }
  static let box = Mapping("Box") {
    Attribute("size", .integer)
    ToOne("lid", thing)
    ToMany("things", thing)
  }
  static let shelf: Mapping<Record> = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer)
    ToOne("label", thing)
    ToMany("boxes", box)
    ToMany("guests", Fixture.visitor)
    ToMany("kept", box, policy: .merge)
    ToMany("next", shelf, policy: .replace)
  }

  /// Pairs of payloads about the same shelves, for a first and a later import.
  static let payloads: [(name: String, first: String, then: String)] = [
    (
      "fewer boxes", #"{"id":1,"boxes":[{"size":1},{"size":2}]}"#, #"{"id":1,"boxes":[{"size":3}]}"#
    ),
    ("no boxes", #"{"id":1,"boxes":[{"size":1,"lid":{}}]}"#, #"{"id":1,"boxes":[]}"#),
    (
      "what the boxes own",
      #"{"id":1,"boxes":[{"size":1,"lid":{"text":"l"},"things":[{"text":"a"},{"text":"b"}]},{"things":[{},{}]}]}"#,
      #"{"id":1,"boxes":[{"things":[{"text":"c"}]}]}"#
    ),
    ("a label", #"{"id":1,"label":{"text":"x"}}"#, #"{"id":1,"label":null}"#),
    ("a label that changes", #"{"id":1,"label":{"text":"x"}}"#, #"{"id":1,"label":{"text":"y"}}"#),
    (
      "boxes that come back", #"{"id":1,"boxes":[{"size":1},{"size":2}]},{"id":1,"boxes":[]}"#,
      #"{"id":1,"boxes":[{"size":3}]}"#
    ),
    (
      "merged boxes", #"{"id":1,"kept":[{"size":1}]}"#, #"{"id":1,"kept":[{"size":2},{"size":3}]}"#
    ),
    (
      "merged boxes that are equal", #"{"id":1,"kept":[{"size":1},{"lid":{"text":"l"}}]}"#,
      #"{"id":1,"kept":[{"lid":{"text":"l"}},{"size":1},{"things":[]}]}"#
    ),
    (
      "equal boxes", #"{"id":1,"boxes":[{"size":1},{"size":2,"things":[{"text":"t"}]}]}"#,
      #"{"id":1,"boxes":[{"size":2,"things":[{"text":"t"}]},{"size":1},{"size":1}]}"#
    ),
    (
      "guests with and without a key", #"{"id":1,"guests":[{"id":5},{"name":"n"},{"name":"m"}]}"#,
      #"{"id":1,"guests":[{"name":"o"}]}"#
    ),
    (
      "shelves that are replaced", #"{"id":1,"next":[2,3]},{"id":2,"label":{}}"#, #"{"id":1,"next":[9]}"#
    ),
  ]
}
