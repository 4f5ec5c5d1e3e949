import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapLMDB

@Suite struct EnvironmentConcurrencyTests {
  let scratch = Scratch()

  /// Two writers move amounts between accounts, and grow the store; the sum never changes. Eight readers add
  /// it up, some in a read inside a read.
  @Test func everySnapshotIsConsistent() throws {
    let accounts = 100
    let environment = try Environment.open(
      at: scratch.store,
      .test {
        $0.mapSize = 1 << 20
        $0.durability = .lastTransactionMayBeLost
      })
    let (things, others) = (environment.databases[0], environment.databases[1])
    try environment.write { transaction in
      for account in 0..<accounts { try transaction.put(things, account, "1000") }
    }

    let (reads, writes) = (Counter(), Counter())
    let (fewestReads, fewestWrites) = (
      TestSize.rounds(small: 40, whole: 200), TestSize.rounds(small: 100, whole: 500)
    )
    let sum: @Sendable (borrowing ReadTransaction) throws -> Int = { snapshot in
      var sum = 0
      try snapshot.withCursor(things) { cursor in
        while let entry = try cursor.next() { sum += Int(String(decoding: entry.value, as: UTF8.self)) ?? 0 }
      }
      return sum
    }
    onThreads(10) { number in
      var random = Random(seed: UInt64(number))
      do {
        while reads.value < fewestReads || writes.value < fewestWrites {
          if number < 8 {
            let found = try environment.read { snapshot in
              number.isMultiple(of: 2) ? try sum(snapshot) : try environment.read { try sum($0) }
            }
            if found != accounts * 1000 { Issue.record("The sum is \(found).") }
            reads.increment()
          } else {
            let (from, to, amount) = (random.next(accounts), random.next(accounts), random.next(10))
            let padding = random.next(1 << 30)
            try environment.write { transaction in
              guard from != to else { return }
              let before = (
                Int(try transaction.text(things, from) ?? "") ?? 0,
                Int(try transaction.text(things, to) ?? "") ?? 0
              )
              try transaction.put(things, from, "\(before.0 - amount)")
              try transaction.put(things, to, "\(before.1 + amount)")
              try transaction.fill(others, padding..<padding + 1, length: 20_000)
              if amount == 0 { transaction.discardChanges() }
            }
            writes.increment()
          }
        }
      } catch { Issue.record(error) }
    }
    #expect(try environment.read { try sum($0) } == accounts * 1000)
    #expect(environment.gate.isEmpty)
  }

  @Test func writersTakeTurns() throws {
    let environment = try Environment.open(
      at: scratch.store, .test { $0.durability = .lastTransactionMayBeLost })
    try environment.write { try $0.put(environment.things, 0, "0") }
    onThreads(8) { _ in
      for _ in 0..<TestSize.rounds(small: 15, whole: 50) {
        do {
          try environment.write { transaction in
            let number = Int(try transaction.text(environment.things, 0) ?? "") ?? 0
            try transaction.put(environment.things, 0, "\(number + 1)")
          }
        } catch { Issue.record(error) }
      }
    }
    #expect(
      try environment.read { try $0.text(environment.things, 0) }
        == "\(8 * TestSize.rounds(small: 15, whole: 50))")
  }

  @Test func tooManyReadersAreToldSo() throws {
    let environment = try Environment.open(at: scratch.store, .test { $0.maxReaders = 3 })
    func nest(_ depth: Int) throws {
      guard depth > 0 else { return }
      try environment.read { _ in try nest(depth - 1) }
    }
    // LMDB rounds the table up to the capacity of its first page.
    #expect(reason { try nest(2000) } == .readersFull)
    #expect(environment.gate.isEmpty)
    try nest(2)
  }
}
