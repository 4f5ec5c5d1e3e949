import FastMapCore
import TestSupport
import Testing

/// Inserting, replacing and changing instances without a context, on every store.
@Suite struct WritingCallTests {
  typealias Account = Ledger.Account
  typealias Entry = Ledger.Entry

  @Test(arguments: StoreKind.allCases) func insertStoresNewObjectsWithTheirTargets(_ kind: StoreKind) throws {
    let world = try World(kind, Account.mapping, Entry.mapping)
    let account = Account(1, 7, owner: "Ada", entries: [Entry(5, 3), Entry(6, nil)])
    let report = try world.store.insert([account, account], as: Account.mapping)
    #expect(summary(report) == "Account +1, Entry +2")
    #expect(account.entries.count == 2)
    #expect(
      try world.dump() == #"""
        Account 1 balance=7 owner="Ada" entries=[5 6]
        Entry 5 amount=3
        Entry 6
        """#)
    #expect(try world.store.insert([Account](), as: Account.mapping).entities.isEmpty)
  }

  @Test(arguments: StoreKind.allCases) func insertRefusesKeysThatAreTaken(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let before = try world.dump()
    for objects in [[Account(3, 1), Account(1, 1)], [Account(3, 1), Account(3, 2)]] {
      #expect(throws: ContextError.self) { try world.store.insert(objects, as: Account.mapping) }
    }
    #expect(try world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases) func upsertWritesAllAttributesOfAnInstance(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let report = try world.store.upsert([Account(1, 11), Account(3, 4, owner: "Grace")], as: Account.mapping)
    #expect(summary(report) == "Account +1 ~1")
    #expect(try world.dump(of: "Account 1") == "Account 1 balance=11 entries=[5]")
    #expect(try world.dump(of: "Account 3") == #"Account 3 balance=4 owner="Grace""#)
  }

  @Test(arguments: StoreKind.allCases) func upsertLinksStoredObjects(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    try world.store.upsert([Account(2, 1, entries: [Entry(5, 12), Entry(6, 1)])], as: Account.mapping)
    #expect(try world.dump(of: "Account 2") == "Account 2 balance=1 entries=[5 6]")
    #expect(try world.dump(of: "Entry 5", as: "Entry") == "Entry 5 amount=12")
  }

  @Test(arguments: StoreKind.allCases) func anImportWritesTheFieldsThatItHas(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    try world.store.write { try $0.importJSON(#"{"id": 1, "balance": 12}"#, as: Account.mapping) }
    #expect(try world.dump(of: "Account 1") == #"Account 1 balance=12 owner="Ada" entries=[5]"#)
  }

  @Test(arguments: StoreKind.allCases) func updateChangesTheObjectsOfAQuery(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    #expect(try world.store.update(Account.mapping.where(Filter("@.balance > 5"))) { $0.owner = nil } == 1)
    #expect(try world.store.update(Account.mapping, set: \.balance, to: 3) == 2)
    #expect(
      try world.dump() == """
        Account 1 balance=3 entries=[5]
        Account 2 balance=3
        Entry 5 amount=10
        """)
    #expect(try world.store.update(Account.mapping.keys([9]), set: \.balance, to: 3) == 0)
  }

  @Test(arguments: StoreKind.allCases) func anErrorOfAnUpdateChangesNothing(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let before = try world.dump()
    #expect(throws: Undone.self) {
      try world.store.update(Account.mapping) { account in
        account.balance = 77
        if account.id == 2 { throw Undone() }
      }
    }
    #expect(try world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases) func anUpdateTakesThousandsOfObjects(_ kind: StoreKind) throws {
    let world = try World(kind, Entry.mapping)
    try world.store.insert((1...2500).map { Entry($0, 1) }, as: Entry.mapping)
    #expect(try world.store.update(Entry.mapping) { $0.amount = $0.id } == 2500)
    #expect(
      try world.store.read { try $0.groups(Entry.mapping, [.sum("amount")]) } == [[.integer(3_126_250)]])
  }
}
