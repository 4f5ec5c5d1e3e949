internal import FastMapCore

extension StoreContract {
  static var settlingChecks: [Check] {
    [
      Check("What was applied is found by its keys before it is settled") { contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.load(#"[{"id":1,"name":"a"},{"id":2,"name":"b"}]"#)
        let (first, second) = (try bench.id(1), try bench.id(2))
        try bench.write { writer in
          let new = try writer.numbers([(0, (10..<20).map { .integer($0) }, 0)])[0]
          var changes = [
            TestChange(
              of: first, isNew: false, values: ["id": .integer(1), "name": .string("z")],
              targets: ["many": new]),
            TestChange(of: second, isNew: false, values: ["id": .integer(2), "name": .string("b")]),
          ]
          changes += new.enumerated().map { index, id in
            TestChange(of: id, isNew: true, values: ["id": .integer(Int64(10 + index))])
          }
          let settled = try writer.applyLate(changes, schema) { writer in
            // The next batch is looked up while this one is on its way.
            let keys = [1, 2, 3, 10, 19, 20].map { PrimaryKey.integer($0) }
            let found = try writer.resolve(keys)
            try expect("the next batch", found, is: [first, second, nil, new[0], new[9], nil])
          }
          let answers = settled.changes.map(\.isChanged)
          try expect("what has changed", answers, is: [true, false] + new.map { _ in true })
          let next = try writer.numbers([(0, [3, 20], 0)])[0]
          try expect(Set(next).isDisjoint(with: new), "a number of the batch before comes back")
          let more = [
            TestChange(of: next[0], isNew: true, values: ["id": .integer(3)], targets: ["one": [new[0]]]),
            TestChange(of: new[9], isNew: false, values: ["id": .integer(19), "name": .string("y")]),
            TestChange(of: next[1], isNew: true, values: ["id": .integer(20)]),
          ]
          try expect("what the next batch changes", writer.apply(more, schema), is: [true, true, true])
        }
        try bench.expectObject(1, is: #"name="z" many=[10 11 12 13 14 15 16 17 18 19]"#)
        try bench.expectObject(3, is: "one=10")
        try bench.expectObject(19, is: #"name="y""#)
        try bench.expectSound("after two batches")
      },
      Check("Targets that a replace no longer has are noted by the time the batch is settled, once") {
        contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.load(#"{"id":1,"onlyOne":2,"replaced":[3,4,3]}"#)
        let ids = try [1, 2, 3, 4].map { try bench.id($0) }
        try bench.write { writer in
          let change = TestChange(
            of: ids[0], isNew: false, targets: ["onlyOne": [], "replaced": [ids[3]]], update: .replace)
          let settled = try writer.applyLate([change], schema) { _ = try $0.resolve([1, 2]) }
          try expect("the targets", Set(settled.removed.map(\.id)), is: [ids[1], ids[2]])
          try expect("the notes", settled.removed.count, is: 2)
          try expect("whether the object has changed", settled.changes[0].isChanged, is: true)
        }
        try bench.expectObject(1, is: "replaced=[4]")
        try bench.expectObject(3, is: "")
      },
      Check("A batch of nothing is applied and settled") { contract in
        let bench = try contract.makeBench()
        try bench.write { writer in
          try expect("the changes", writer.apply([TestChange](), bench.plan.schema), is: [])
        }
        try expect("the objects", bench.count(), is: 0)
      },
    ]
  }
}

extension StoreWriter {
  /// Applies a batch and settles it afterwards, when its rows are gone.
  ///
  /// - Parameter body: Runs between the two.
  fileprivate mutating func applyLate(
    _ changes: [TestChange], _ schema: Schema, _ body: (inout Self) throws -> Void
  ) throws -> ChangeBatch {
    var batch = try ChangeBatch.lend(changes, in: schema) { batch in
      try apply(&batch)
      return batch
    }
    try body(&self)
    try finish(&batch)
    return batch
  }
}
