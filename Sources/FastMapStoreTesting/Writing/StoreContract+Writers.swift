internal import FastMapCore

extension StoreContract {
  static var writerChecks: [Check] {
    [
      Check("Two writers that insert the same key make one object") { contract in
        try contract.withTwo { first, second in
          let schema = first.plan.schema
          for round in 0..<3 {
            let key = Int64(round)
            try Race(first, second).run { bench, name, meet in
              try bench.transactPatiently { writer in
                let known = try writer.reader.find(.integer(key), of: 0)
                meet(known == nil)
                try writer.put(key, name: .string(name), schema)
              }
            }
            let name = try first.show(.integer(key)) ?? "none"
            try expect([#"name="first""#, #"name="second""#].contains(name), "the object is \(name)")
            try expect("the objects", second.count(), is: round + 1)
            try expect("the keys", second.store.read(schema) { try $0.keys() }.count, is: round + 1)
          }
          try first.expectSound("after two writers")
        }
      },
      Check("Two writers lose no update") { contract in
        try contract.withTwo { first, second in
          let schema = first.plan.schema
          try first.load(#"[{"id":1,"name":"0"},{"id":2,"name":"0"}]"#)
          try Race(first, second).run { bench, _, meet in
            try bench.transactPatiently { writer in
              let old = try writer.reader.number(in: 1, schema)
              meet(true)
              try writer.put(1, name: .string("\(old + 1)"), schema)
            }
          }
          try second.expectObject(1, is: #"name="2""#)
          let bodies: [@Sendable () throws -> Void] = (0..<4).map { number in
            let bench = number % 2 == 0 ? first : second
            return {
              for _ in 0..<25 {
                try bench.transactPatiently { writer in
                  let old = try writer.reader.number(in: 2, schema)
                  try writer.put(2, name: .string("\(old + 1)"), schema)
                }
              }
            }
          }
          try runTogether(bodies)
          try first.expectObject(2, is: #"name="100""#)
        }
      },
      Check("A decision on what another writer changes is made again") { contract in
        // Each writes only if the other has not: each reads the object that the other writes.
        try contract.withTwo { first, second in
          let schema = first.plan.schema
          try first.load(#"[{"id":1,"name":"0"},{"id":2,"name":"0"}]"#)
          try Race(first, second).run { bench, name, meet in
            let (own, other): (Int64, Int64) = name == "first" ? (1, 2) : (2, 1)
            try bench.transactPatiently { writer in
              let isFree = try writer.reader.number(in: other, schema) == 0
              meet(isFree)
              if isFree { try writer.put(own, name: .string("1"), schema) }
            }
          }
          let sum = try first.store.read(schema) { try $0.number(in: 1, schema) + $0.number(in: 2, schema) }
          try expect("the writers that have decided for themselves", sum, is: 1)
        }
      },
      Check("A link to an object that another writer deletes does not dangle") { contract in
        try contract.withTwo { first, second in
          let schema = first.plan.schema
          for field in ["one", "many", "merged"] {
            try first.load(#"[{"id":1,"one":null,"many":[]},{"id":2,"name":"target"}]"#)
            try Race(first, second).run { bench, name, meet in
              try bench.transactPatiently { writer in
                let target = try writer.reader.find(2, of: 0)
                meet(false)
                guard let target else { return }
                if name == "first" {
                  try writer.put(1, targets: [field: [target]], schema)
                } else {
                  _ = try writer.delete(target, of: 0)
                }
              }
            }
            try first.expectObject(2, is: nil, "for \(field)")
            try second.expectObject(1, is: "", "for \(field)")
            try second.expectSound("after a race of \(field)")
          }
        }
      },
      Check("An object that another writer links is not deleted as one without references") { contract in
        try contract.withTwo { first, second in
          for _ in 0..<3 {
            try first.load(#"[{"id":1,"replaced":[5]},{"id":2,"one":null}]"#)
            try Race(first, second).run { bench, name, meet in
              // Before the objects without references are looked for, both have changed their own.
              var options = ImportOptions()
              options.retries = .patient
              options.onProgress = { _ in meet(false) }
              let json = name == "first" ? #"{"id":1,"replaced":[]}"# : #"{"id":2,"one":5}"#
              try bench.load(json, options: options)
            }
            try second.expectObject(2, is: "one=5")
            try second.expectObject(1, is: "")
            try second.expectSound("after a race of a link and a replace")
          }
        }
      },
      Check("Many imports and deletions at the same time leave a sound store") { contract in
        try contract.withTwo { first, second in
          let bodies: [@Sendable () throws -> Void] = (0..<4).map { number in
            let bench = number % 2 == 0 ? first : second
            return {
              var numbers = SplitMix(state: UInt64(number))
              for _ in 0..<12 {
                if numbers.next(4) == 0 {
                  let keys = numbers.some(4, below: 30).map { PrimaryKey.integer(Int64($0)) }
                  try bench.deletePatiently(keys)
                  continue
                }
                let objects = (0...numbers.next(6)).map { _ in
                  let lists =
                    "\"many\":\(numbers.some(4, below: 30)),\"merged\":\(numbers.some(2, below: 30))"
                  let replaced = "\"replaced\":\(numbers.some(3, below: 30))"
                  let notes = Array(repeating: "{}", count: numbers.next(3)).joined(separator: ",")
                  return "{\"id\":\(numbers.next(30)),\"one\":\(numbers.next(30)),\(lists),\(replaced),"
                    + "\"notes\":[\(notes)]}"
                }
                try bench.load("[\(objects.joined(separator: ","))]", patiently: true)
              }
            }
          }
          try runTogether(bodies)
          for bench in [first, second] { try bench.expectSound("after many imports at the same time") }
        }
      },
    ]
  }
}

/// Two writes at the same time. Each waits for the other in the middle of its first attempt.
private struct Race<S: Store> {
  private let first: Bench<S>
  private let second: Bench<S>

  init(_ first: Bench<S>, _ second: Bench<S>) {
    self.first = first
    self.second = second
  }

  /// Runs `body` on two threads.
  ///
  /// - Parameter body: Receives its instance, its name, and the place to meet. Its argument there is whether one of two
  ///   attempts that come this far must fail, because each has read the object that the other one writes.
  func run(
    _ body: @escaping @Sendable (Bench<S>, String, _ meet: @escaping @Sendable (Bool) -> Void) throws -> Void
  ) throws {
    let (place, attempts, meetings) = (Rendezvous(), Tally(), Tally())
    try runTogether(
      [(first, "first"), (second, "second")].map { bench, name in
        let own = Tally()
        return {
          try body(bench, name) { isExclusive in
            attempts.add()
            if own.add() == 1, place.meet(), isExclusive { meetings.add() }
          }
        }
      })
    // Without a conflict one has written over the other.
    if meetings.value == 2 { try expect(attempts.value > 2, "two writes that conflict are both kept") }
  }
}

extension RetryPolicy {
  /// Repeats a write until it succeeds.
  static var patient: RetryPolicy { RetryPolicy(attempts: 1000, longestDelay: .milliseconds(50)) }
}

extension StoreReader {
  /// The number that is the name of an object.
  fileprivate mutating func number(in key: Int64, _ schema: Schema) throws -> Int {
    guard let text = try show(.integer(key), schema), let number = Int(text.dropFirst(6).dropLast()) else {
      throw Failure(reason: "the object \(key) is not read")
    }
    return number
  }
}

extension Bench {
  /// Runs a write that commits, and repeats it as often as it conflicts.
  ///
  /// A store with one writer at a time has no conflicts.
  fileprivate func transactPatiently(_ body: (inout S.Writer) throws -> Void) throws {
    let isOneWriter = store.capabilities.concurrency == .oneWriter
    _ = try store.prepare(plan.schema)
    try store.transact(plan.schema, retries: isOneWriter ? RetryPolicy(attempts: 1) : .patient) { writer in
      try body(&writer)
      return .commit(())
    }
  }

  fileprivate func deletePatiently(_ keys: [PrimaryKey]) throws {
    for _ in 0..<100 {
      do {
        _ = try store.delete(plan.query(of: "Item").keys(keys))
        return
      } catch is ConflictError {}
    }
    throw Failure(reason: "a deletion conflicts a thousand times")
  }
}
