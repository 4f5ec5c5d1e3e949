internal import FastMapCore

extension StoreContract {
  static var lendingChecks: [Check] {
    [
      Check("A buffer holds nothing of the object that was read into it before") { contract in
        let bench = try contract.makeBench()
        let visitors = Bench(store: bench.store, plan: try Plan(Fixture.visitor))
        try bench.load(#"[{"id":1,"name":"a","one":2,"keptOne":1,"onlyOne":3,"many":[2]},{"id":2}]"#)
        try visitors.load(#"{"id":1,"name":"v"}"#)
        try bench.store.read(bench.plan.schema) { reader in
          var buffer = RowBuffer()
          for key in [1, 2, 1, 2] as [PrimaryKey] {
            guard let id = try reader.find(key, of: 0) else { throw Failure(reason: "\(key) is not found") }
            try expect(try reader.read(id, of: 0, into: &buffer), "\(key) is not read")
            let set = (0..<buffer.row.count).count { !buffer.row[$0].isMissing && !buffer.row[$0].isNull }
            try expect("the fields of \(key) that are set", set, is: key == 1 ? 5 : 1)
          }
          try reader.use(visitors.plan.schema)
          guard let id = try reader.find(1, of: 0) else { throw Failure(reason: "a visitor is not found") }
          try expect(try reader.read(id, of: 0, into: &buffer), "a visitor is not read")
          try expect("the fields of another entity", buffer.row.count, is: 2)
        }
      },
      Check("A lent object has its to-one targets and its missing fields, however often it is asked") {
        contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.load(#"[{"id":1,"name":"a","one":2,"onlyOne":1,"many":[2,1],"notes":[{}]},{"id":2}]"#)
        let (first, second) = (try bench.id(1), try bench.id(2))
        func look(_ row: Row) -> [String] {
          schema.entities[0].fields.indices.map { field in
            let value = row[field].value?.text ?? "-"
            let bytes = row[field].bytes.map { "\($0.count)" } ?? "-"
            let target = row[field].target.map { $0 == first ? "1" : $0 == second ? "2" : "?" } ?? "-"
            return "\(value) \(bytes) \(target)"
          }
        }
        func expected(_ set: [String: String]) -> [String] {
          schema.entities[0].fields.map { set[$0.name] ?? "- - -" }
        }
        let old = expected(["id": "1 - -", "name": #""a" 1 -"#, "one": "- - 2", "onlyOne": "- - 1"])
        try bench.store.read(schema) { reader in
          let rows = try reader.withRow(first, of: 0) { row in [look(row), look(row)] }
          try expect("the fields", rows, is: [old, old])
          let other = try reader.withRow(second, of: 0) { look($0) }
          try expect("the fields of an empty object", other, is: expected(["id": "2 - -"]))
        }
        try bench.write { writer in
          try writer.rename(first, to: "new", schema)
          let name = try writer.reader.withRow(first, of: 0) { $0[bench.field("name")].value }
          try expect("a name in the write", name, is: .string("new"))
          _ = try writer.delete(second, of: 0)
          let target = try writer.reader.withRow(first, of: 0) { $0[bench.field("one")].target }
          try expect("a target in the write", target, is: .some(nil))
          try expect("a deleted object", writer.reader.withRow(second, of: 0) { _ in true }, is: nil)
        }
      },
      Check("What the body throws ends the lending of an object, which can be lent again") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1,"name":"a"}]"#)
        let id = try bench.id(1)
        let name = bench.field("name")
        try bench.store.read(bench.plan.schema) { reader in
          for _ in 0..<3 {
            do {
              try reader.withRow(id, of: 0) { _ in throw Stop() }
              throw Failure(reason: "the error does not come out")
            } catch is Stop {}
            try expect("the name", reader.withRow(id, of: 0) { $0[name].value }, is: .string("a"))
          }
        }
      },
      Check("The number of an object is no object of another entity") { contract in
        let bench = try contract.makeBench()
        let others = Bench(store: bench.store, plan: try Plan(Alike.mapping))
        try others.load(#"{"id":1,"one":1,"many":[1]}"#)
        try others.store.delete(others.plan.query(of: "Alike"))
        try bench.load(#"[{"id":1,"name":"a","one":2,"many":[2]},{"id":2}]"#)
        let (first, second) = (try bench.id(1), try bench.id(2))
        try others.store.read(others.plan.schema) { reader in
          var buffer = RowBuffer()
          try expect(try !reader.read(first, of: 0, into: &buffer), "an item is read as another object")
          try expect("an item lent as another object", reader.withRow(first, of: 0) { _ in true }, is: nil)
          for field in [2, 3] {
            let targets = try reader.targets(of: [first], entity: 0, field: field)
            try expect("the targets of an item as another object", targets, is: [[]])
          }
        }
        try others.write { writer in
          try expect(try !writer.isReferenced(second, of: 0), "an item is referred to as another object")
          try expect(try !writer.delete(first, of: 0), "an item is deleted as another object")
          try expect("the items deleted", writer.delete([first, second].sorted(), of: 0), is: [])
        }
        try bench.expectObject(1, is: #"name="a" one=2 many=[2]"#)
        try bench.expectObject(2, is: "")
      },
    ]
  }
}

/// The error of a body, which must come out.
private struct Stop: Error {}

/// An entity with the fields of the items, in their order.
private enum Alike {
  static let mapping: Mapping<Record> = Mapping("Alike", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    ToOne("one", mapping)
    ToMany("many", mapping)
  }
}
