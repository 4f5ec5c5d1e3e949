internal import FastMapCore

extension StoreContract {
  static var schemaChecks: [Check] {
    [
      Check("A field that a schema adds is absent until it is set, and then kept") { contract in
        let small = try contract.makeBench(Mapping("Item", primaryKey: "id") { Attribute("id", .integer) })
        try small.load(#"[{"id":1},{"id":2}]"#)
        let large = Bench(store: small.store, plan: try Plan(Fixture.item))
        try large.expectObject(1, is: "", "before the field is known")
        let report = try large.load(#"[{"id":1,"name":"a","many":[2]},{"id":3,"name":"c"}]"#)
        try expect("the report", report["Item"], is: .init(inserted: 1, updated: 1, unchanged: 1))
        try large.expectObject(1, is: #"name="a" many=[2]"#)
        try large.expectObject(2, is: "")
      },
      Check("A field that a schema leaves out keeps its values") { contract in
        let large = try contract.makeBench()
        try large.load(
          #"[{"id":1,"name":"a","one":2,"many":[2],"notes":[{"text":"n"}]},{"id":3,"name":"c"}]"#)
        let small = Bench(
          store: large.store,
          plan: try Plan(
            Mapping("Item", primaryKey: "id") {
              Attribute("id", .integer)
              Attribute("size", .integer)
            }))
        let report = try small.load(#"[{"id":1,"size":5},{"id":3},{"id":4,"size":6}]"#)
        try expect("the report", report["Item"], is: .init(inserted: 1, updated: 1, unchanged: 1))
        try small.expectObject(1, is: "size=5")
        try large.expectObject(1, is: #"name="a" one=2 many=[2] notes=["n"]"#)
        try large.expectObject(4, is: "")
        let second = try small.id(2)
        try small.write { writer in _ = try writer.delete(second, of: 0) }
        try large.expectObject(1, is: #"name="a" notes=["n"]"#, "after its target was deleted")
      },
      Check("Entities and fields are found by their names, whatever their numbers") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a","one":2,"many":[2,3]}"#)
        let other = Bench(store: bench.store, plan: try Plan(Reordered.shelf))
        try other.load(#"{"id":1,"items":[{"id":1,"many":[3]},{"id":9,"name":"z"}]}"#)
        try other.expectObject(1, is: "items=[1 9]")
        try bench.expectObject(1, is: #"name="a" one=2 many=[3]"#)
        try bench.expectObject(9, is: #"name="z""#)
        try expect(
          "the items in the other schema",
          bench.store.read(other.plan.schema) {
            try $0.keys(of: other.plan.schema.entity(named: "Item") ?? 0)
          },
          is: [1, 2, 3, 9])
      },
      Check("Names of entities and fields are any, and differ where their bytes do") { contract in
        let bench = try contract.makeBench(Odd.table)
        let json = #"{"id":1,"ID":"a","Id":"b","key":"c","a \"b\"; --":"d"," ":"e","order":[{"text":"f"}]}"#
        let expected = #"ID="a" Id="b" key="c" a "b"; --="d"  ="e" order=["f"]"#
        try bench.load(json)
        try bench.expectObject(1, is: expected)
        try expect("the report of the same again", bench.load(json)["Table"], is: .init(unchanged: 1))
        try expect("the objects of the other entity", bench.count(of: 1), is: 1)
      },
      Check("Names that differ in their Unicode form alone are two names") { contract in
        let bench = try contract.makeBench(Forms.composed)
        let other = Bench(store: bench.store, plan: try Plan(Forms.decomposed))
        try bench.load(
          #"{"id":1,"\#u{e9}":"a","e\#u{301}":"b","\#u{f6}":[{"id":1,"\#u{e9}":"c"}],"o\#u{308}":[{"id":2}]}"#
        )
        try bench.expectObject(1, is: #"\#u{e9}="a" e\#u{301}="b" \#u{f6}=[1] o\#u{308}=[2]"#)
        try bench.load(#"{"id":1,"\#u{e9}":"x"}"#)
        try bench.load(#"{"id":1,"e\#u{301}":"y"}"#)
        try other.load(#"{"id":1,"e\#u{301}":"z"}"#)
        try bench.expectObject(1, is: #"\#u{e9}="x" e\#u{301}="y" \#u{f6}=[1] o\#u{308}=[2]"#)
        try other.expectObject(1, is: #"\#u{e9}="c" e\#u{301}="z""#)
        try expect("the objects", [bench.count(of: 0), other.count(of: 0)], is: [1, 2])
        for (text, keys) in [
          (#"@["\#u{e9}"] == "x""#, [1]), (#"@["e\#u{301}"] == "x""#, []),
          (#"@["\#u{e9}"] == "y""#, []), (#"@["e\#u{301}"] == "y""#, [1]),
        ] as [(String, [PrimaryKey])] {
          let query = bench.plan.where(try Filter(text))
          try expect(
            "the objects with \(text)", bench.store.read(bench.plan) { try $0.keys(query) }, is: keys)
        }
      },
      Check("An entity or a field that the store has never met is no error") { contract in
        let bench = try contract.makeBench(Fixture.word)
        try bench.load(#"[{"id":"a"}]"#)
        let other = Bench(store: bench.store, plan: try Plan(Fixture.item))
        try expect("the number of objects", other.count(), is: 0)
        try other.expectObject(1, is: nil)
        try expect("the targets", other.targets(of: [ObjectID(rawValue: 1)], "many"), is: [[]])
        try expect("the keys", other.store.read(other.plan.schema) { try $0.keys() }, is: [])
      },
      Check("An attribute of another type is an error that names both") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a"}"#)
        let changed = Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("name", .integer)
        }
        try contract.expectMismatch(bench, changed, ["Item", "name", "a string", "an integer"])
        try bench.expectObject(1, is: #"name="a""#)
      },
      Check("A primary key of another kind is an error that names both") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a"}"#)
        let changed = Mapping("Item", primaryKey: "code") { Attribute("code", .string) }
        try contract.expectMismatch(bench, changed, ["Item", "key", "an integer", "a string"])
        try bench.expectObject(1, is: #"name="a""#)
      },
      Check("A relationship of another sort is an error that names both") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"one":2,"many":[2]}"#)
        let single = Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          ToOne("many", Fixture.visitor)
        }
        try contract.expectMismatch(
          bench, single, ["Item", "many", "to-many relationship to Item", "to-one relationship to Visitor"])
        let value = Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("one", .json)
        }
        try contract.expectMismatch(
          bench, value, ["Item", "one", "to-one relationship to Item", "JSON value"])
        try bench.expectObject(1, is: "one=2 many=[2]")
      },
    ]
  }

  /// A read and a write with another schema throw, and the message holds these words.
  private func expectMismatch(_ bench: Bench<S>, _ mapping: Mapping<Record>, _ words: [String]) throws {
    let plan = try Plan(mapping)
    let attempts: [(String, () throws -> Void)] = [
      ("a read", { try bench.store.read(plan.schema) { _ in } }),
      ("a write", { try bench.store.write(plan.schema) { _ in .commit(()) } }),
    ]
    for (name, attempt) in attempts {
      do {
        try attempt()
      } catch {
        for word in words where !"\(error)".contains(word) {
          throw Failure(reason: "the error of \(name) does not name \(word): \(error)")
        }
        continue
      }
      throw Failure(reason: "\(name) with another type throws nothing")
    }
  }
}

/// Names that a database may take for one, for its own, or for the end of a name.
private enum Odd {
  static let table = Mapping("Table", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("ID", .string)
    Attribute("Id", .string)
    Attribute("key", .string)
    Attribute("a \"b\"; --", .string)
    Attribute(" ", .string)
    ToMany("order", Mapping("table") { Attribute("text", .string) })
  }
}

/// Names that Swift's strings take for equal.
private enum Forms {
  static let composed = Mapping("Caf\u{e9}", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("\u{e9}", .string)
    Attribute("e\u{301}", .string)
    ToMany("\u{f6}", decomposed)
    ToMany("o\u{308}", decomposed)
  }
  static let decomposed = Mapping("Cafe\u{301}", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("\u{e9}", .string)
    Attribute("e\u{301}", .string)
  }
}

private enum Reordered {
  static let shelf = Mapping("Shelf", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("items", item)
  }
  static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("extra", .boolean)
    Attribute("name", .string)
    Attribute("id", .integer)
    ToMany("many", item)
  }
}
