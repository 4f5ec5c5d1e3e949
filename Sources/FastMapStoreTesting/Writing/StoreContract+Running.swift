internal import FastMapCore

/// Something that a body throws to see that it comes out.
private struct Interruption: Error, Equatable {
  let number: Int
}

extension StoreContract {
  static var runningChecks: [Check] {
    [
      Check("What a read returns or throws comes out of it, as often as it likes") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1},{"id":2},{"id":3}]"#)
        for number in 0..<1500 {
          let keys = try bench.store.read(bench.plan.schema) { reader in (number, try reader.count(of: 0)) }
          try expect("the result", [keys.0, keys.1], is: [number, 3])
          do {
            try bench.store.read(bench.plan.schema) { reader in
              _ = try reader.find(1, of: 0)
              throw Interruption(number: number)
            }
          } catch let error as Interruption where error.number == number { continue }
          throw Failure(reason: "what the body throws does not come out of the read")
        }
        try bench.load(#"{"id":1,"name":"a"}"#)
        try bench.expectObject(1, is: #"name="a""#, "after reads that have thrown")
      },
      Check("Of a write that is run again, its last run is what is kept") { contract in
        let bench = try contract.makeBench()
        _ = try bench.store.prepare(bench.plan.schema)
        for size in [1, 700] {
          var runs = 0
          let result = try bench.store.write(bench.plan.schema) { writer in
            runs += 1
            try writer.fill(size, from: runs * 10_000, bench.plan.schema)
            return .commit(runs)
          }
          try expect("the result", result, is: runs)
          let keys = try bench.store.read(bench.plan.schema) { try $0.keys(.init(from: 10_000)) }
          try expect(
            "the objects of run \(runs)", keys, is: (0..<size).map { .integer(Int64(runs * 10_000 + $0)) })
          try bench.store.delete(bench.plan.query(of: "Item"))
        }
      },
      Check("A store that says so runs a write once, however it ends") { contract in
        let bench = try contract.makeBench()
        guard bench.store.capabilities.runsWritesOnce else { return }
        _ = try bench.store.prepare(bench.plan.schema)
        for end in [End.commit, .rollBack, .error] {
          var runs = 0
          do {
            try bench.store.write(bench.plan.schema) { writer in
              runs += 1
              try writer.fill(700, from: runs * 10_000, bench.plan.schema)
              switch end {
              case .commit: return .commit(())
              case .rollBack: return .rollBack(())
              case .error: throw Interruption(number: runs)
              }
            }
          } catch is Interruption {}
          try expect("the runs of a write", runs, is: 1)
        }
      },
      Check("What is updated while going over objects is kept") { contract in
        let bench = try contract.makeBench(Fixture.visitor)
        let schema = bench.plan.schema
        let payload = (0..<600).map { #"{"id":\#($0)},{"name":""}"# }.joined(separator: ",")
        try bench.load("[\(payload)]")
        try bench.write { writer in
          var reader = writer.reader
          try reader.forEachObject(of: 0, keys: nil, isDescending: false) { _, id, _ in
            try writer.rename(id, to: "first", schema)
            return true
          }
          reader = writer.reader
          try reader.forEachObject(of: 0, keys: .init(from: 300), isDescending: true) { _, id, _ in
            try writer.rename(id, to: "second", schema)
            return true
          }
          try expect("an object in the write", writer.reader.show(299, schema), is: #"name="first""#)
          try expect("an object in the write", writer.reader.show(300, schema), is: #"name="second""#)
        }
        let names = try bench.store.read(bench.plan) { try $0.records("Visitor").map { $0["name"] } }
        let expected = (0..<1200).map { (300..<600).contains($0) ? "second" : "first" }
        try expect("the names", names, is: expected.map { .string($0) })
      },
    ]
  }
}

private enum End {
  case commit, rollBack, error
}

extension StoreWriter {
  /// Makes objects of a kilobyte each, so that the store has to make room.
  fileprivate mutating func fill(_ count: Int, from first: Int, _ schema: Schema) throws {
    let name = Value.string(String(repeating: "n", count: 1_000))
    for key in first..<(first + count) { try put(Int64(key), name: name, schema) }
  }
}
