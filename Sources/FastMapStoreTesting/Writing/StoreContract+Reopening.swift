internal import FastMapCore

extension StoreContract {
  static var reopeningChecks: [Check] {
    [
      Check("What was committed is there when the store is opened again") { contract in
        let place = try contract.newPlace()
        let json =
          #"[{"id":5,"name":"é","one":9,"many":[9,5,9],"replaced":[9],"notes":[{"text":"n"},{"text":"o"}]},{"id":9}]"#
        let typed = try Plan(Fixture.typed)
        let values =
          #"{"id":1,"boolean":true,"integer":-9223372036854775808,"number":-0.0,"decimal":1.10,"string":"a\u0000é😀","date":"1969-12-31T23:59:59.25Z","data":"AP+A","json":{"a":[1,null]}}"#
        let ids = try place.open { bench in
          try bench.load(json)
          try bench.load(values, as: typed)
          return [try bench.id(5), try bench.id(9)]
        }
        for _ in 0..<2 {
          try place.open { bench in
            try bench.expectObject(
              5, is: #"name="é" one=9 many=[9 5 9] replaced=[9] notes=["n" "o"]"#, "opened again")
            try expect("the numbers", [bench.id(5), bench.id(9)], is: ids)
            try expect("the counts", [bench.count(), bench.count(of: 1)], is: [2, 2])
            try expect("the report of the same again", bench.load(json)["Item"], is: .init(unchanged: 2))
            try expect(
              "what was typed", bench.show(1, as: typed),
              is:
                "boolean=true integer=-9223372036854775808 number=-0.0 decimal=1.10 string=\"a\0é😀\" date=@-1.250000000 data=[0, 255, 128] json={\"a\":[1,null]}"
            )
          }
        }
      },
      Check("What was undone is not there when the store is opened again") { contract in
        let place = try contract.newPlace()
        try place.open { bench in
          try bench.load(#"{"id":1,"name":"a"}"#)
          try bench.store.write(bench.plan.schema) { writer in
            try writer.put(1, name: .string("b"), bench.plan.schema)
            try writer.put(2, name: .string("b"), bench.plan.schema)
            return .rollBack(())
          }
          do {
            try bench.load(#"[{"id":1,"name":"c"},{"id":3,"one":1},{"id":0.5}]"#)
            throw Failure(reason: "the faulty payload was taken")
          } catch is MappingError {}
        }
        try place.open { bench in
          try bench.expectObject(1, is: #"name="a""#)
          try expect("the keys", bench.store.read(bench.plan.schema) { try $0.keys() }, is: [1])
          let id = try bench.id(1)
          try bench.write { writer in
            try expect(try !writer.isReferenced(id, of: 0), "a relationship that was undone refers")
          }
        }
      },
      Check("No number comes back when the store is opened again") { contract in
        let place = try contract.newPlace()
        var met: Set<ObjectID> = []
        for round in 0..<3 {
          try place.open { bench in
            try bench.load(#"[{"id":1},{"id":2},{"id":3}]"#)
            for key in 1...3 {
              let id = try bench.id(.integer(Int64(key)))
              try expect(met.insert(id).inserted, "in round \(round) the number \(id) comes back")
            }
            try bench.store.delete(bench.plan.query(of: "Item"))
            try bench.write { writer in
              let id = try writer.reserve(of: 0)
              try expect(met.insert(id).inserted, "in round \(round) the number \(id) comes back")
            }
          }
        }
      },
      Check("The order of objects is the same when the store is opened again") { contract in
        let place = try contract.newPlace(Fixture.visitor)
        try place.open { try $0.load(#"[{"id":5},{"name":"b"},{"id":-3},{"name":"a"},{"id":9}]"#) }
        try place.open { try $0.load(#"[{"name":"0"},{"id":7}]"#) }
        try place.open { bench in
          let records = try bench.store.read(bench.plan) { try $0.records("Visitor") }
          let names = records.map { $0.key.map { "\($0)" } ?? $0["name"]?.text ?? "?" }
          try expect("the order", names, is: ["-3", "5", "7", "9", #""b""#, #""a""#, #""0""#])
        }
      },
      Check("Entities, fields and their kinds go by names when the store is opened again") { contract in
        let place = try contract.newPlace()
        let other = try Plan(
          Mapping("Shelf", primaryKey: "id") {
            Attribute("id", .integer)
            ToMany("items", Other.item)
          })
        try place.open { try $0.load(#"{"id":1,"name":"a","many":[2]}"#) }
        try place.open { try $0.load(#"{"id":1,"items":[{"id":3,"size":5,"many":[1]}]}"#, as: other) }
        try place.open { bench in
          try bench.expectObject(1, is: #"name="a" many=[2]"#)
          try bench.expectObject(3, is: "many=[1]")
          try expect("the shelf", bench.show(1, as: other), is: "items=[3]")
          do {
            try bench.store.read(Plan(Other.unfit).schema) { _ in }
          } catch { return }
          throw Failure(reason: "a read with another type throws nothing")
        }
      },
      Check("Relationships are followed back when the store is opened again") { contract in
        let place = try contract.newPlace()
        try place.open {
          try $0.load(#"[{"id":1,"one":9,"many":[2,9,3,9],"merged":[9]},{"id":9,"many":[1]}]"#)
        }
        try place.open { bench in
          let (ninth, second) = (try bench.id(9), try bench.id(2))
          try bench.write { writer in
            try expect(try writer.isReferenced(second, of: 0), "a target is not referred to")
            try expect(try writer.delete(ninth, of: 0), "a stored object is not deleted")
          }
        }
        try place.open { bench in
          try bench.expectObject(1, is: "many=[2 3]")
          try bench.expectObject(9, is: nil)
        }
      },
    ]
  }
}

/// Mappings of the stored entity, with another order of the fields and with other types.
private enum Other {
  static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    ToMany("many", item)
    Attribute("size", .integer)
    Attribute("id", .integer)
  }

  static let unfit = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .boolean)
  }
}
