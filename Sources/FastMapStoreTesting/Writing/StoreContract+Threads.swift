internal import FastMapCore
internal import Synchronization

extension StoreContract {
  static var threadChecks: [Check] {
    [
      Check("A read sees one snapshot from start to end, also beside a write") { contract in
        let bench = try contract.makeBench()
        guard bench.store.capabilities.readsOneSnapshot else { return }
        try bench.load(#"[{"id":1,"name":"a","many":[2]},{"id":3}]"#)
        let worker = Worker()
        try bench.store.read(bench.plan.schema) { reader in
          let before = try reader.show(1, bench.plan.schema)
          try worker.run { try bench.load(#"[{"id":1,"name":"b","many":[3,4]},{"id":3,"name":"c"}]"#) }
          // A store whose readers make the writer wait is slow, not wrong.
          _ = worker.wait(seconds: 1)
          try expect("the object read again", reader.show(1, bench.plan.schema), is: before)
          try expect("another object", reader.show(3, bench.plan.schema), is: "")
          try expect("a new object", reader.find(4, of: 0), is: nil)
          try expect("the number of objects", reader.count(of: 0), is: 3)
          try expect("all keys", reader.keys(), is: [1, 2, 3])
        }
        try expect(worker.wait(seconds: 60), "a write does not end after the read has")
        try worker.check()
        try bench.expectObject(1, is: #"name="b" many=[3 4]"#, "in the next read")
      },
      Check("A read beside a write sees nothing of what is not committed") { contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        try bench.load(#"[{"id":1,"name":"a","many":[2]}]"#)
        let worker = Worker()
        try bench.write { writer in
          try writer.put(1, name: .string("b"), schema)
          try writer.put(3, name: .string("new"), schema)
          try worker.run {
            let (first, third) = try bench.store.read(schema) {
              (try $0.show(1, schema), try $0.show(3, schema))
            }
            // A read that had to wait sees the state after the last commit.
            let isBefore = [first == #"name="a" many=[2]"#, third == nil]
            let isAfter = [first == #"name="b" many=[2]"#, third == #"name="new""#]
            let isEach = zip(isBefore, isAfter).allSatisfy { $0 || $1 }
            let isOne = isBefore == [true, true] || isAfter == [true, true]
            let isRight = bench.store.capabilities.readsOneSnapshot ? isOne : isEach
            try expect(isRight, "found \(first ?? "none") and \(third ?? "none")")
          }
          if worker.wait(seconds: 1) { try worker.check() }
        }
        try expect(worker.wait(seconds: 60), "a read does not end after the write has")
        try worker.check()
      },
      Check("One write at a time, and a second one waits, in a store that says so") { contract in
        let bench = try contract.makeBench()
        guard bench.store.capabilities.concurrency == .oneWriter else { return }
        let schema = bench.plan.schema
        try bench.load(#"{"id":1,"name":"0"}"#)
        let workers = (0..<4).map { _ in Worker() }
        let counter = Counter()
        for worker in workers {
          try worker.run {
            for _ in 0..<25 {
              try bench.write { writer in
                try expect(counter.enter(), "two writes at a time")
                defer { counter.leave() }
                pause(milliseconds: 1)
                guard case .string(let text)? = try writer.reader.name(of: 1, schema), let value = Int(text)
                else {
                  throw Failure(reason: "the object is not read")
                }
                try writer.put(1, name: .string("\(value + 1)"), schema)
              }
            }
          }
        }
        for worker in workers {
          try expect(worker.wait(seconds: 300), "a write waits for ever")
          try worker.check()
        }
        try bench.expectObject(1, is: #"name="100""#)
      },
      Check("A write inside a write on the same thread does not wait for itself, and the outer one goes on") {
        contract in
        let bench = try contract.makeBench()
        let schema = bench.plan.schema
        _ = try bench.store.prepare(schema)
        let isOneWriter = bench.store.capabilities.concurrency == .oneWriter
        let worker = Worker()
        let inner = Mutex<[Bool]>([])
        try worker.run {
          try bench.store.transact(schema) { writer in
            try writer.put(1, name: .string("a"), schema)
            do {
              try bench.store.write(schema) { inner in
                try inner.put(3, name: .string("c"), schema)
                return .commit(())
              }
              inner.withLock { $0.append(true) }
            } catch { inner.withLock { $0.append(false) } }
            try writer.put(2, name: .string("b"), schema)
            return .commit(())
          }
        }
        try expect(worker.wait(seconds: 60), "a write inside a write waits for itself")
        try worker.check()
        try bench.expectObject(1, is: #"name="a""#)
        try bench.expectObject(2, is: #"name="b""#)
        // Where it is no error, it is a transaction of its own.
        let isKept = inner.withLock { $0.contains(true) }
        try expect(!isOneWriter || !isKept, "a write is begun inside another")
        try bench.expectObject(3, is: isKept ? #"name="c""# : nil)
      },
      Check("Many threads may read") { contract in
        let bench = try contract.makeBench()
        try bench.load("[\((0..<200).map { #"{"id":\#($0),"one":\#(199 - $0)}"# }.joined(separator: ","))]")
        let workers = (0..<4).map { _ in Worker() }
        for worker in workers {
          try worker.run {
            for key in 0..<200 { try bench.expectObject(.integer(Int64(key)), is: "one=\(199 - key)") }
          }
        }
        for worker in workers {
          try expect(worker.wait(seconds: 300), "a read waits for ever")
          try worker.check()
        }
      },
    ]
  }
}

/// Sees that one is inside at a time.
private final class Counter: Sendable {
  private let inside = Atomic<Int>(0)
  func enter() -> Bool { inside.add(1, ordering: .sequentiallyConsistent).newValue == 1 }
  func leave() { inside.subtract(1, ordering: .sequentiallyConsistent) }
}

extension StoreReader {
  fileprivate mutating func name(of key: PrimaryKey, _ schema: Schema) throws -> Value? {
    guard let id = try find(key, of: 0) else { return nil }
    return try record(id, of: 0, in: schema, key: key)?["name"]
  }
}
