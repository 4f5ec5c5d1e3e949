import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import Synchronization
import TestSupport
import Testing

/// Errors of transactions, and their repetitions.
@Suite struct TransactionErrorTests {
  typealias Account = Ledger.Account
  typealias Entry = Ledger.Entry

  @Test(arguments: StoreKind.allCases) func aSwallowedErrorOfACallStoresNothing(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let before = try world.dump()
    var next: String?
    let error = message {
      try world.store.write { transaction in
        try transaction.importJSON(#"{"id": 3, "balance": 7}"#, as: Account.mapping)
        do { try transaction.importJSON(#"{"id": 3, "balance": "x"}"#, as: Account.mapping) } catch {}
        next = message { try transaction.delete(Account.mapping, key: 1) }
      }
    }
    #expect(error?.contains("balance") == true)
    #expect(
      next == "an earlier call of the transaction has failed, so nothing of it will be stored: \(error ?? "")"
    )
    #expect(try world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases) func anErrorBeforeAWriteMayBeSwallowed(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    try world.store.write { transaction in
      try transaction.importJSON(#"{"id": 3, "balance": 7}"#, as: Account.mapping)
      #expect(throws: FilterError.self) {
        try transaction.delete(Account.mapping.where(Filter("@.nothing == 1")))
      }
    }
    #expect(try Ledger.balance(3, in: world.store) == 7)
  }

  @Test(arguments: StoreKind.allCases) func writesInsideATransactionAreErrors(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let context = try ObjectContext(world.store, for: Account.mapping)
    defer { context.end() }
    try context.object(Account.mapping, key: 1)?.balance = 11
    let calls: [(any Store) throws -> Void] = [
      { try $0.write { _ in } },
      { store in try store.write { _ = try $0.delete(Account.mapping, key: 1) } },
      { _ = try Mapper($0).importJSON(#"{"id": 3}"#, as: Account.mapping) },
      { try $0.delete(Account.mapping, key: 1) },
      { _ in try context.save() },
    ]
    for call in calls {
      let error = message { try world.store.write { _ in try call(world.store) } }
      #expect(error?.contains("inside") == true, "\(error ?? "no error")")
    }
    let inner = message { try world.store.write { transaction in try transaction.store.write { _ in } } }
    #expect(inner == "\(TransactionError.nested)")
    #expect(try Ledger.balance(1, in: world.store) == 10)
    try context.save()
    #expect(try Ledger.balance(1, in: world.store) == 11)
  }

  @Test(arguments: StoreKind.allCases) func nothingWorksAfterTheEnd(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let (kept, context) = try world.store.write { transaction in
      let context = try ObjectContext(transaction.store, for: Account.mapping)
      try context.object(Account.mapping, key: 1)?.balance = 12
      return (transaction.store, context)
    }
    let calls: [() throws -> Void] = [
      { try kept.read { _ = try $0.count(Account.mapping) } },
      { try kept.delete(Account.mapping) },
      { try kept.write { _ in } },
      { _ = try Mapper(kept).importJSON(#"{"id": 3}"#, as: Account.mapping) },
      { try context.save() },
      { _ = try context.objects(Account.mapping) },
    ]
    for call in calls { #expect(message(call) == "\(TransactionError.hasEnded)") }
    #expect(try Ledger.balance(1, in: world.store) == 10)
  }

  @Test(arguments: StoreKind.allCases) func anotherThreadIsRefused(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    try world.store.write { transaction in
      let work = ThreadWork { [store = transaction.store] in
        message { _ = try store.read { try $0.count(Account.mapping) } }
      }
      let error = try work.value()
      #expect(error == "\(TransactionError.otherThread)")
    }
  }

  @Test(arguments: StoreKind.allCases) func aWriteInsideAReadIsRefused(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    try world.store.write { transaction in
      let store = transaction.store
      try transaction.read { snapshot in
        try snapshot.forEachRow(Account.mapping) { _, _ in
          let error = message { try store.delete(Account.mapping, key: 2) }
          #expect(error == "\(TransactionError.isReading)")
          let count = try store.read { try $0.count(Account.mapping) }
          #expect(count == 2)
          return true
        }
      }
      try transaction.delete(Account.mapping, key: 2)
    }
    #expect(try world.store.read { try $0.count(Account.mapping) } == 1)
  }

  @Test(arguments: StoreKind.allCases) func commitsAndDryRunsAreRefused(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    try world.store.write { transaction in
      #expect(throws: OptionError.self) {
        try transaction.importJSON("[]", as: Account.mapping, options: ImportOptions(commitInterval: 1))
      }
      let error = message {
        try transaction.importJSON("[]", as: Account.mapping, options: ImportOptions(isDryRun: true))
      }
      #expect(error?.hasPrefix("isDryRun is no option inside a transaction") == true)
      #expect(message { try transaction.delete(Account.mapping, isDryRun: true) } == error)
      #expect(throws: TransactionError.self) { try transaction.store.dropIndex("owner", of: "Account") }
    }
    #expect(try world.store.read { try $0.count(Account.mapping) } == 2)
  }

  @Test(arguments: StoreKind.allCases) func aStreamIsReadWhereATransactionRunsOnce(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    defer { close(ends[0]) }
    let text = #"[{"id": 3, "balance": 7}]"#
    let count = write(ends[1], text, text.utf8.count)
    #expect(count == text.utf8.count)
    close(ends[1])
    let error = message {
      _ = try world.store.write { transaction in
        try transaction.importJSON(JSONInput.descriptor(ends[0]), as: Account.mapping)
      }
    }
    let isOnce = world.store.capabilities.runsWritesOnce
    #expect(error == (isOnce ? nil : "\(TransactionError.readsOnce)"))
    #expect(try Ledger.balance(3, in: world.store) == (isOnce ? 7 : nil))
  }

  /// A store whose first applied batches conflict.
  private func conflicting(_ kind: StoreKind, _ count: Int) throws -> any Store {
    let conflicts = Atomic<Int>(0)
    func observed(_ base: some Store) -> any Store {
      ObservedStore(base, capabilities: base.capabilities) { question in
        guard question.isInWrite, question.kind == .apply else { return }
        if conflicts.add(1, ordering: .relaxed).newValue <= count { throw ConflictError("at apply") }
      }
    }
    return observed(try Ledger.world(kind).store)
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aConflictRunsTheClosureAgain(_ kind: StoreKind, swallows: Bool) throws {
    let store = try conflicting(kind, 2)
    var runs = 0
    try RetryPolicy.$pause.withValue({ _ in }) {
      try store.write { transaction in
        runs += 1
        do { try transaction.update(Account.mapping.keys([1])) { $0.balance += 1 } } catch {
          if !swallows { throw error }
        }
      }
    }
    #expect(runs == 3)
    #expect(try Ledger.balance(1, in: store) == 11)
  }

  @Test(arguments: StoreKind.allCases) func conflictsEndWithTheAttempts(_ kind: StoreKind) throws {
    let store = try conflicting(kind, 5)
    var runs = 0
    #expect(throws: ConflictError.self) {
      try RetryPolicy.$pause.withValue({ _ in }) {
        try store.write(retries: RetryPolicy(attempts: 2)) { transaction in
          runs += 1
          try transaction.update(Account.mapping, set: \.balance, to: 3)
        }
      }
    }
    #expect(runs == 2)
    #expect(try Ledger.balance(1, in: store) == 10)
  }

  @Test func aStoreThatGrowsRunsTheClosureAgain() throws {
    let store = try ScratchStore.growing()
    var runs = 0
    let owner = String(repeating: "x", count: 1000)
    let objects = (1...3000).map { Account($0, $0, owner: owner) }
    try store.write { transaction in
      runs += 1
      try transaction.insert(objects, as: Account.mapping)
      try transaction.importJSON(#"{"id": 1, "amount": 1}"#, as: Entry.mapping)
    }
    #expect(runs > 1)
    #expect(try store.read { try $0.count(Account.mapping) } == 3000)
  }
}
