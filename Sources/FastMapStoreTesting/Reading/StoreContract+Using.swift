internal import FastMapCore

extension StoreContract {
  static var usingChecks: [Check] {
    [
      Check("A reader goes on with another schema, in the same snapshot") { contract in
        let bench = try contract.makeBench()
        let visitors = Bench(store: bench.store, plan: try Plan(Fixture.visitor))
        let words = Bench(store: bench.store, plan: try Plan(Fixture.word))
        try bench.load(#"{"id":1,"name":"a","many":[2]}"#)
        try visitors.load(#"{"id":7,"name":"v"}"#)
        let worker = Worker()
        try bench.store.read(bench.plan.schema) { reader in
          let isOneSnapshot = bench.store.capabilities.readsOneSnapshot
          try worker.run {
            if isOneSnapshot { try visitors.load(#"[{"id":7,"name":"later"},{"id":8}]"#) }
          }
          _ = worker.wait(seconds: 1)
          try reader.use(visitors.plan.schema)
          try expect("a visitor", reader.show(7, visitors.plan.schema), is: #"name="v""#)
          try expect("the visitors", reader.keys(), is: [7])
          try reader.use(words.plan.schema)
          try expect("words that the store has never met", reader.count(of: 0), is: 0)
          try expect("a word that the store has never met", reader.find("a", of: 0), is: nil)
          try reader.use(bench.plan.schema)
          try expect("an item again", reader.show(1, bench.plan.schema), is: #"name="a" many=[2]"#)
        }
        try expect(worker.wait(seconds: 60), "a write does not end after the read has")
        try worker.check()
      },
      Check("Readers and writers prefer sets if the store does") { contract in
        let bench = try contract.makeBench()
        let expected = bench.store.capabilities.prefersSets
        try bench.store.read(bench.plan.schema) { try expect("of a reader", $0.prefersSets, is: expected) }
        try bench.store.write(bench.plan.schema) { writer in
          try expect("of a writer", writer.reader.prefersSets, is: expected)
          return .rollBack(())
        }
      },
      Check("A reader keeps the schema it had where another does not fit") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a","many":[2]}"#)
        try bench.store.read(bench.plan.schema) { reader in
          try expectRefusal { try reader.use(Unfit.both.plan().schema) }
          try expect("an item", reader.show(1, bench.plan.schema), is: #"name="a" many=[2]"#)
          try expect("the items", reader.keys(), is: [1, 2])
        }
      },
      Check("A writer goes on with another schema, makes room for it, and commits all") { contract in
        let bench = try contract.makeBench()
        let visitors = Bench(store: bench.store, plan: try Plan(Fixture.visitor))
        try bench.load(#"{"id":1,"name":"a","many":[2]}"#)
        let first = try bench.id(1)
        let (items, others) = (bench.plan.schema, visitors.plan.schema)
        _ = try bench.store.prepare(others)
        try bench.write { writer in
          try writer.put(1, name: .string("b"), items)
          try writer.use(others)
          try expect("the visitors before", writer.reader.count(of: 0), is: 0)
          let visitor = try writer.put(1, name: .string("v"), others).id
          try expect("a visitor found", writer.reader.find(1, of: 0), is: visitor)
          try expect(try writer.isChanged(visitor, of: 0), "a new visitor counts as unchanged")
          try writer.use(items)
          try expect("an item", writer.reader.show(1, items), is: #"name="b" many=[2]"#)
          try expect(try writer.isChanged(first, of: 0), "a changed item counts as unchanged")
          try writer.put(1, name: .string("a"), items)
          try expect(try !writer.isChanged(first, of: 0), "an item that is what it was counts as changed")
          try writer.put(3, name: .string("c"), items)
        }
        try bench.expectObject(1, is: #"name="a" many=[2]"#)
        try bench.expectObject(3, is: #"name="c""#)
        try visitors.expectObject(1, is: #"name="v""#)
      },
      Check("A writer keeps the schema it had, and what it has done, where another does not fit") {
        contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.load(#"{"id":1,"name":"a"}"#)
        try bench.write { writer in
          try writer.put(2, name: .string("b"), schema)
          try expectRefusal { try writer.use(Unfit.both.plan().schema) }
          try expect("an item of the write", writer.reader.show(2, schema), is: #"name="b""#)
          try writer.put(3, name: .string("c"), schema)
        }
        try expect("the items", bench.store.read(schema) { try $0.keys() }, is: [1, 2, 3])
        try expectFree(Unfit.free, in: bench.store, "of a schema that did not fit")
      },
      Check("A schema without a key for objects that are stored with one is refused") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a"}"#)
        let plan = try Unfit.keylessPlan()
        let keyless = Bench(store: bench.store, plan: plan)
        let uses: [(String, () throws -> Void)] = [
          ("an import", { try keyless.load(#"{"id":1,"name":"b"}"#) }),
          ("a read", { try keyless.store.read(plan.schema) { _ in } }),
          ("a write", { try keyless.write { _ in } }),
          ("a reader's change", { try bench.store.read(bench.plan.schema) { try $0.use(plan.schema) } }),
        ]
        for (name, use) in uses {
          do {
            try use()
            throw Failure(reason: "\(name) takes the schema")
          } catch let error as SchemaMismatchError {
            try expect("the field", error.field, is: nil)
            try expect("the mapping", error.mapped, is: "without a primary key")
          }
        }
        try expect("the objects", bench.count(), is: 1)
        try bench.expectObject(1, is: #"name="a""#)
      },
      Check("What a write that is undone has met of entities and fields is forgotten") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a"}"#)
        let other = try Plan(Unfit.otherwise).schema
        try bench.store.write(other) { writer in
          try writer.put(1, name: .integer(1), other)
          return .rollBack(())
        }
        try expectFree(Unfit.free, in: bench.store, "of a write that was rolled back")
        let second = try contract.makeBench()
        do {
          try second.write { writer in
            try writer.use(other)
            try writer.put(1, name: .integer(1), other)
            throw Failure(reason: "stop")
          }
        } catch is Failure {}
        try expectFree(Unfit.free, in: second.store, "of a write that has thrown")
      },
    ]
  }

  /// Expects an error of the store's own for a schema that does not fit.
  private static func expectRefusal(_ use: () throws -> Void) throws {
    do { try use() } catch { return }
    throw Failure(reason: "a schema that does not fit is taken")
  }

  /// An entity can be anything: the store has not met it.
  private static func expectFree(_ mapping: Mapping<Record>, in store: S, _ what: String) throws {
    let bench = Bench(store: store, plan: try Plan(mapping))
    do {
      try expect("the objects \(what)", bench.count(), is: 0)
      try bench.load(#"{"id":1,"name":"free"}"#)
    } catch let mismatch as SchemaMismatchError {
      throw Failure(reason: "an entity \(what) is remembered: \(mismatch)")
    }
    try bench.expectObject(1, is: #"name="free""#)
  }
}

/// An unknown entity with two types, and a stored entity with another type.
enum Unfit {
  static let free = Mapping("Other", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  static let otherwise: Mapping<Record> = Mapping("Other", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .integer)
  }

  /// The items without their key.
  static func keylessPlan() throws -> Plan {
    try Plan(
      Mapping("Item") {
        Attribute("id", .integer)
        Attribute("name", .string)
      })
  }

  static let both: Mapping<Record> = Mapping("Other", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .integer)
    ToOne(
      "item",
      Mapping("Item", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("name", .integer)
      })
  }
}
