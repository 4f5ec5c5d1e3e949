package import FastMapCore

extension StoreContract {
  static var transactionChecks: [Check] {
    [
      Check("A new store is empty") { contract in
        let bench = try contract.makeBench()
        try expect("the number of objects", bench.count(), is: 0)
        try bench.expectObject(1, is: nil)
        try expect("the targets of no object", bench.targets(of: [ObjectID(rawValue: 7)], "many"), is: [[]])
      },
      Check("A write whose body throws changes nothing") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a","many":[2]}"#)
        do {
          try bench.write { writer in
            try writer.change(bench)
            throw Stop()
          }
          throw Failure(reason: "what the body throws does not come out of the write")
        } catch is Stop {}
        try bench.expectUnchanged()
      },
      Check("A write that rolls back changes nothing, and gives its result") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a","many":[2]}"#)
        let result = try bench.store.write(bench.plan.schema) { writer in
          try writer.change(bench)
          return .rollBack(42)
        }
        try expect("the result", result, is: 42)
        try bench.expectUnchanged()
        try bench.load(#"{"id":3,"name":"c"}"#)
        try bench.expectObject(3, is: #"name="c""#, "after the next write")
      },
      Check("A write that commits changes all, and gives its result") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a","many":[2]}"#)
        let result = try bench.store.write(bench.plan.schema) { writer in
          try writer.change(bench)
          return .commit("done")
        }
        try expect("the result", result, is: "done")
        try bench.expectObject(1, is: #"name="b""#)
        try bench.expectObject(2, is: nil)
        try bench.expectObject(3, is: #"name="new""#)
      },
      Check("An import that fails midway changes nothing") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"{"id":1,"name":"a","many":[2]}"#)
        let many = (1...500).map { #"{"id":\#($0),"name":"x","one":\#($0 + 1),"notes":[{"text":"n"}]}"# }
        do {
          try bench.load("[\(many.joined(separator: ",")),{\"id\":0.5}]")
          throw Failure(reason: "the faulty payload was taken")
        } catch is MappingError {}
        try bench.expectUnchanged()
        try expect("the notes", bench.count(of: 1), is: 0)
      },
      Check("What a write has done is found and read within it") { contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.load(#"{"id":1,"name":"a","many":[2]}"#)
        try bench.write { writer in
          let id = try writer.put(3, name: .string("new"), schema).id
          try expect("the object found by its key", writer.reader.find(3, of: 0), is: id)
          try expect("the object read", writer.reader.show(3, schema), is: #"name="new""#)
          try writer.put(3, name: .string("newer"), schema)
          try expect("the object read after an update", writer.reader.show(3, schema), is: #"name="newer""#)
          try expect("the number of objects", writer.reader.count(of: 0), is: 3)
          guard let second = try writer.reader.find(2, of: 0), let first = try writer.reader.find(1, of: 0)
          else {
            throw Failure(reason: "a stored object is not found")
          }
          try expect(try writer.delete(second, of: 0), "an object that is stored was not deleted")
          try expect("a deleted object", writer.reader.find(2, of: 0), is: nil)
          try expect("the number of objects after a deletion", writer.reader.count(of: 0), is: 2)
          let targets = try writer.reader.targets(of: [first], entity: 0, field: bench.field("many"))
          try expect("the targets after one was deleted", targets, is: [[]])
          try expect("all keys", writer.reader.keys(), is: [1, 3])
        }
      },
      Check("What an import has done is found in its later batches") { contract in
        let bench = try contract.makeBench()
        let first = (0..<400).map { #"{"id":\#($0),"name":"a"}"# }
        let second = (0..<400).map { #"{"id":\#($0),"name":"b","one":\#(399 - $0)}"# }
        let report = try bench.load("[\((first + second).joined(separator: ","))]")
        try expect("the report", report["Item"], is: .init(inserted: 400))
        try bench.expectObject(150, is: #"name="b" one=249"#)
      },
      Check("An object differs from what it was only where it does in the end") { contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.load(#"[{"id":1,"name":"a","many":[2,3]},{"id":4},{"id":5}]"#)
        try bench.write { writer in
          let id = try writer.put(1, name: .string("b"), schema).id
          try expect(try writer.isChanged(id, of: 0), "a changed object counts as unchanged")
          try writer.put(1, name: .string("a"), schema)
          try expect(
            try !writer.isChanged(id, of: 0), "an object that came back to what it was counts as changed")
          let other = try writer.put(4, name: .null, schema).id
          try expect(try !writer.isChanged(other, of: 0), "an untouched object counts as changed")
          let new = try writer.put(6, name: .null, schema).id
          try expect(try writer.isChanged(new, of: 0), "a new object counts as unchanged")
          let gone = try writer.put(5, name: .null, schema).id
          _ = try writer.delete(gone, of: 0)
          try expect(try writer.isChanged(gone, of: 0), "a deleted object counts as unchanged")
          guard let target = try writer.reader.find(2, of: 0) else {
            throw Failure(reason: "a stored object is not found")
          }
          _ = try writer.delete(target, of: 0)
          try expect(try writer.isChanged(id, of: 0), "an object that lost a target counts as unchanged")
        }
      },
      Check("Values and relationships that come back count as unchanged, whatever the batch") { contract in
        let bench = try contract.makeBench()
        let filler = (100..<300).map { "{\"id\":\($0)}," }.joined()
        let payload =
          #"{"id":1,"name":"a","one":2,"many":[2,3,2],"merged":[3],"notes":[{"text":"n"}]}"#
        try bench.load("[\(filler)\(payload)]")
        let report = try bench.load(
          #"[{"id":1,"name":null,"one":null,"many":[3]},\#(filler){"id":1,"name":"b","many":[]},\#(filler)\#(payload)]"#
        )
        try expect("the report of the items", report["Item"], is: .init(unchanged: 203))
        try expect("the report of the notes", report["Note"], is: .init(unchanged: 1))
      },
    ]
  }
}

extension StoreWriter {
  /// Updates object 1, deletes object 2 and makes object 3.
  fileprivate mutating func change(_ bench: Bench<some Store>) throws {
    try put(1, name: .string("b"), bench.plan.schema)
    try put(3, name: .string("new"), bench.plan.schema)
    guard let id = try reader.find(2, of: 0) else { throw Failure(reason: "a stored object is not found") }
    try expect(try delete(id, of: 0), "an object that is stored was not deleted")
  }
}

extension Bench {
  fileprivate func expectUnchanged() throws {
    try expectObject(1, is: #"name="a" many=[2]"#, "afterwards")
    try expectObject(2, is: "", "afterwards")
    try expectObject(3, is: nil, "afterwards")
    try expect("the number of objects afterwards", count(), is: 2)
    try expect("all keys afterwards", store.read(plan.schema) { try $0.keys() }, is: [1, 2])
  }

  func targets(of owners: [ObjectID], _ field: String) throws -> [[ObjectID]] {
    try store.read(plan.schema) { try $0.targets(of: owners, entity: 0, field: self.field(field)) }
  }
}

extension StoreReader {
  /// All keys of the first entity, in the order of `forEach`; objects without one are left out.
  package mutating func keys(_ range: KeyRange? = nil, of entity: Int = 0) throws -> [PrimaryKey] {
    var keys: [PrimaryKey] = []
    try forEachObject(of: entity, keys: range, isDescending: false) { _, _, key in
      if let key { keys.append(key) }
      return true
    }
    return keys
  }
}
