internal import FastMapCore

extension StoreContract {
  static var deletionChecks: [Check] {
    [
      Check("A deleted object is gone, with its key and its place in the order") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1},{"id":2,"name":"b","many":[1,3]},{"id":3}]"#)
        let id = try bench.id(2)
        try expect("all keys before", bench.store.read(bench.plan.schema) { try $0.keys() }, is: [1, 2, 3])
        try bench.write { writer in try expect(try writer.delete(id, of: 0), "a stored object is not deleted")
        }
        try bench.expectObject(2, is: nil)
        try bench.store.read(bench.plan.schema) { reader in
          var buffer = RowBuffer()
          try expect(try !reader.read(id, of: 0, into: &buffer), "a deleted object is read")
          try expect("its targets", reader.targets(of: [id], entity: 0, field: bench.field("many")), is: [[]])
          try expect("all keys", reader.keys(), is: [1, 3])
          try expect("the number of objects", reader.count(of: 0), is: 2)
        }
      },
      Check("Deleting takes away every relationship to the object, and repeats of it") { contract in
        let bench = try contract.makeBench()
        try bench.load(
          #"[{"id":1,"one":9,"keptOne":9,"many":[2,9,3,9],"merged":[9],"replaced":[9,2]},{"id":2,"one":9},{"id":9,"one":9,"many":[1]}]"#
        )
        let id = try bench.id(9)
        try bench.write { writer in _ = try writer.delete(id, of: 0) }
        try bench.expectObject(1, is: "many=[2 3] replaced=[2]")
        try bench.expectObject(2, is: "")
      },
      Check("Deleting what is not stored does nothing, and says so") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1},{"id":2}]"#)
        let id = try bench.id(2)
        try bench.write { writer in
          try expect(try !writer.delete(ObjectID(rawValue: 0), of: 0), "no object was deleted")
          let none = ObjectID(rawValue: id.rawValue + 1000)
          try expect(try !writer.delete(none, of: 0), "an object that never was was deleted")
          try expect(try writer.delete(id, of: 0), "a stored object was not deleted")
          try expect(try !writer.delete(id, of: 0), "an object was deleted twice")
        }
        try expect("the number of objects", bench.count(), is: 1)
      },
      Check("Whether an object is referred to is known after every change") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1,"one":2,"many":[3,3],"merged":[4]},{"id":5,"one":2},{"id":6,"one":6}]"#)
        try contract.expectReferenced(bench, [2, 3, 4, 6], not: [1, 5])
        try bench.load(#"[{"id":1,"one":null,"many":[3]}]"#)
        try contract.expectReferenced(bench, [2, 3, 4, 6], not: [1, 5])
        try bench.load(#"[{"id":5,"one":1},{"id":1,"many":[5]}]"#)
        try contract.expectReferenced(bench, [1, 4, 5, 6], not: [2, 3])
        let (first, sixth) = (try bench.id(1), try bench.id(6))
        try bench.write { writer in
          _ = try writer.delete(first, of: 0)
          _ = try writer.delete(sixth, of: 0)
          guard let fourth = try writer.reader.find(4, of: 0) else { throw Failure(reason: "no object 4") }
          try expect(try !writer.isReferenced(fourth, of: 0), "a deleted object still refers to others")
        }
        try contract.expectReferenced(bench, [], not: [2, 3, 4, 5])
      },
      Check("A relationship that was rolled back refers to nothing") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1},{"id":2}]"#)
        do { try bench.load(#"[{"id":1,"one":2,"many":[2]},{"id":true}]"#) } catch is MappingError {}
        try contract.expectReferenced(bench, [], not: [1, 2])
      },
      Check("What an object owns stays when it is deleted: the core deletes that by itself") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1,"notes":[{"text":"a"},{"text":"b"}]}]"#)
        let id = try bench.id(1)
        try bench.write { writer in _ = try writer.delete(id, of: 0) }
        try expect("the notes", bench.count(of: 1), is: 2)
        try bench.load(#"{"id":2,"replaced":[{"id":3,"notes":[{"text":"c"}]}]}"#)
        try expect("the report", bench.load(#"{"id":2,"replaced":[]}"#)["Note"]?.deleted, is: 1)
        try expect("the notes afterwards", bench.count(of: 1), is: 2)
      },
      Check("An element of a list without keys is a value: equal ones stay, others are new") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"notes":[{"text":"a"},{"text":"b"},{"text":"c"}]}"#)
        let before = try bench.targets(of: [bench.id(1)], "notes")[0]
        try bench.load(#"{"id":1,"notes":[{"text":"c"},{"text":"x"},{"text":"a"}]}"#)
        try bench.expectObject(1, is: #"notes=["c" "x" "a"]"#)
        let after = try bench.targets(of: [bench.id(1)], "notes")[0]
        try expect("the numbers", [after[0], after[2]], is: [before[2], before[0]])
        try expect(!before.contains(after[1]), "an element has the number of another one")
        try expect("the notes", bench.count(of: 1), is: 3)
        try bench.load(#"{"id":1,"notes":[{"text":"y"},{"text":"a"}]}"#)
        try bench.expectObject(1, is: #"notes=["y" "a"]"#)
        try expect("the number", bench.targets(of: [bench.id(1)], "notes")[0][1], is: before[0])
      },
    ]
  }

  private func expectReferenced(_ bench: Bench<S>, _ referred: [Int64], not others: [Int64]) throws {
    let ids = try (referred + others).map { try bench.id(.integer($0)) }
    try bench.store.write(bench.plan.schema) { writer in
      for (key, id) in zip(referred + others, ids) {
        try expect(
          "whether \(key) is referred to", writer.isReferenced(id, of: 0), is: referred.contains(key))
      }
      return .rollBack(())
    }
  }
}
