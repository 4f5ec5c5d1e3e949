internal import FastMapCore

extension StoreContract {
  static var liveInstanceChecks: [Check] {
    [
      Check("An instance sees at once what another one has committed") { contract in
        try contract.withTwo { first, second in
          try expect("the objects", [first.count(), second.count()], is: [0, 0])
          try first.load(#"[{"id":1,"name":"a","one":2,"many":[2,3]}]"#)
          try second.expectObject(1, is: #"name="a" one=2 many=[2 3]"#)
          try second.load(#"[{"id":1,"name":"b","many":[3]},{"id":4}]"#)
          try first.expectObject(1, is: #"name="b" one=2 many=[3]"#)
          try expect("the report of the same", first.load(#"[{"id":4}]"#)["Item"], is: .init(unchanged: 1))
          try first.store.delete(first.plan.query(of: "Item").keys([3]))
          try second.expectObject(1, is: #"name="b" one=2"#)
          try expect("the objects", [first.count(), second.count()], is: [3, 3])
        }
      },
      Check("What another instance deletes between two commits of an import is not linked") { contract in
        try contract.withTwo { first, second in
          try first.load(#"{"id":1,"notes":[{"text":"a"},{"text":"b"}]}"#)
          let store = ObservedStore(first.store) { _ in
          } afterCommit: { number in
            if number == 1 { try second.store.delete(second.plan.query(of: "Note")) }
          }
          var options = ImportOptions()
          options.commitInterval = 1
          let report = try Bench(store: store, plan: first.plan).load(
            #"[{"id":1,"notes":[]},{"id":1,"notes":[{"text":"c"},{"text":"d"}]}]"#, options: options,
            patiently: true)
          try expect("the report", report["Note"], is: .init(inserted: 2))
          try first.expectObject(1, is: #"notes=["c" "d"]"#)
          try first.expectSound("after the import")
        }
      },
      Check("An instance reads and writes the entities and fields that another one adds, again and again") {
        contract in
        try contract.withTwo { first, second in
          for round in 1...6 {
            let plan = try Plan(Growing.mapping(round))
            let (writer, reader) = round % 2 == 0 ? (first, second) : (second, first)
            let values = (1...round).map { #""f\#($0)":"\#(round)""# }.joined(separator: ",")
            try writer.load(#"{"id":\#(round),\#(values),"e\#(round)":{"id":\#(round)}}"#, as: plan)
            let expected = (1...round).map { #"f\#($0)="\#(round)""# } + ["e\(round)=\(round)"]
            let key = PrimaryKey.integer(Int64(round))
            let found = try reader.show(key, as: plan)
            try expect("what the other one has added", found, is: expected.joined(separator: " "))
            let report = try reader.load(#"{"id":\#(round),"f\#(round)":"z"}"#, as: plan)
            try expect("the report", report["Growing"], is: .init(updated: 1))
            let changed = expected.dropLast(2) + [#"f\#(round)="z""#, "e\(round)=\(round)"]
            try expect("what was changed", writer.show(key, as: plan), is: changed.joined(separator: " "))
          }
        }
      },
      Check("Of a field that two instances add with two types, the second one is refused") { contract in
        try contract.withTwo { first, second in
          let (text, number) = (try Plan(Growing.typed(.string)), try Plan(Growing.typed(.integer)))
          try expect("the objects", first.store.read(number.schema) { try $0.count(of: 0) }, is: 0)
          try second.load(#"{"id":1,"value":"a"}"#, as: text)
          do {
            try first.load(#"{"id":2,"value":5}"#, as: number)
          } catch {
            return try expect("what is stored", first.show(1, as: text), is: #"value="a""#)
          }
          throw Failure(reason: "a field has two types")
        }
      },
      Check("Instances that add entities and fields at the same time add all of them") { contract in
        try contract.withTwo { first, second in
          for round in 0..<3 {
            let plans = try (0..<4).map { try Plan(Growing.own(round, $0)) }
            let bodies: [@Sendable () throws -> Void] = (0..<4).map { number in
              let bench = number % 2 == 0 ? first : second
              return {
                // All write one object, each two fields of its own, and an object of an entity that all have.
                let json = #"{"id":1,"f\#(number)":"a","o\#(number)":{"id":\#(number),"name":"b"}}"#
                try bench.load(json, as: plans[number], patiently: true)
              }
            }
            try runTogether(bodies)
            for (number, plan) in plans.enumerated() {
              for bench in [first, second] {
                let found = try bench.show(1, as: plan)
                try expect("what is stored", found, is: #"f\#(number)="a" o\#(number)=\#(number)"#)
              }
            }
          }
        }
      },
      Check("No number is given twice by two instances") { contract in
        try contract.withTwo { first, second in
          var met: Set<ObjectID> = []
          for round in 0..<10 {
            for (place, bench) in [first, second].enumerated() {
              let keys = (0..<3).map { Int64(round * 10 + place * 5 + $0) }
              try bench.load("[\(keys.map { "{\"id\":\($0)}" }.joined(separator: ","))]")
              for key in keys {
                try expect(met.insert(bench.id(.integer(key))).inserted, "a number comes back")
              }
              let reserved = try bench.write { try $0.numbers([(0, [], 2)])[0] }
              for id in reserved { try expect(met.insert(id).inserted, "a reserved number comes back") }
            }
          }
        }
      },
    ]
  }

  /// Lends two open instances of one new store. A store with one instance lends it twice.
  func withTwo(
    _ mapping: Mapping<Record> = Fixture.item, _ body: (Bench<S>, Bench<S>) throws -> Void
  ) throws {
    let place = try newPlace(mapping)
    try place.open { first in
      if hasSeveralInstances {
        try place.open { second in try body(first, second) }
      } else {
        try body(first, first)
      }
    }
  }
}

/// An entity that gets ever more fields.
private enum Growing {
  /// With so many attributes, and a relationship to an entity of its own.
  static func mapping(_ count: Int) -> Mapping<Record> {
    Mapping("Growing", primaryKey: "id") {
      Attribute("id", .integer)
      for number in 1...count { Attribute("f\(number)", .string) }
      ToOne("e\(count)", Mapping("Other\(count)", primaryKey: "id") { Attribute("id", .integer) })
    }
  }

  static func typed(_ type: AttributeType) -> Mapping<Record> {
    Mapping("Typed", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("value", type)
    }
  }

  /// With fields of one instance alone, and an entity of all.
  static func own(_ round: Int, _ number: Int) -> Mapping<Record> {
    Mapping("Growing\(round)", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("f\(number)", .string)
      ToOne("o\(number)", shared(round))
    }
  }

  private static func shared(_ round: Int) -> Mapping<Record> {
    Mapping("Shared\(round)", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
    }
  }
}
