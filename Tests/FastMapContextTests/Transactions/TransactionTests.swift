import FastMapCore
import TestSupport
import Testing

/// Reads and writes in one transaction, on every store.
@Suite struct TransactionTests {
  typealias Account = Ledger.Account
  typealias Entry = Ledger.Entry

  @Test(arguments: StoreKind.allCases) func twoImportsAreStoredTogether(_ kind: StoreKind) throws {
    let world = try World(kind, Account.mapping, Entry.mapping)
    try world.store.write { transaction in
      try transaction.importJSON(#"{"id": 1, "balance": 7}"#, as: Account.mapping)
      try transaction.importJSON(#"{"id": 5, "amount": 3}"#, as: Entry.mapping)
    }
    #expect(try Ledger.balance(1, in: world.store) == 7)
    #expect(try world.store.read { try $0.object(Entry.mapping, key: 5)?.amount } == 3)
  }

  @Test(arguments: StoreKind.allCases) func anErrorUndoesAllCalls(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let before = try world.dump()
    #expect(throws: Undone.self) {
      try world.store.write { transaction in
        try transaction.importJSON(#"{"id": 3, "balance": 7}"#, as: Account.mapping)
        try transaction.update(Account.mapping, set: \.balance, to: 1)
        try transaction.delete(Account.mapping, key: 2)
        try transaction.insert([Entry(9, 1)], as: Entry.mapping)
        throw Undone()
      }
    }
    #expect(try world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases) func aSecondFaultyImportUndoesTheFirst(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let before = try world.dump()
    #expect(throws: MappingError.self) {
      try world.store.write { transaction in
        try transaction.importJSON(#"{"id": 3, "balance": 7}"#, as: Account.mapping)
        try transaction.importJSON(#"[{"id": 5, "amount": 1}, {"id": 6, "amount": "x"}]"#, as: Entry.mapping)
      }
    }
    #expect(try world.dump() == before)
  }

  @Test(arguments: StoreKind.allCases) func readsSeeOwnWritesAndOthersDoNot(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    try world.store.write { transaction in
      #expect(try transaction.read { try $0.object(Account.mapping, key: 1) }?.balance == 10)
      try transaction.update(Account.mapping.keys([1])) { $0.balance += 5 }
      #expect(try transaction.read { try $0.object(Account.mapping, key: 1) }?.balance == 15)
      try transaction.importJSON(#"{"id": 3, "balance": 30, "owner": "Grace"}"#, as: Account.mapping)
      #expect(try transaction.read { try $0.count(Account.mapping) } == 3)
      #expect(
        try transaction.read { try $0.objects(Account.mapping.where(Filter(#"@.owner == "Grace""#))) }.map(
          \.id) == [3])
      #expect(
        try transaction.read { try $0.first(Account.mapping.sorted(by: \.balance, descending: true)) }?.id
          == 3)
      #expect(
        try transaction.read { try $0.records(Account.mapping.keys([3])) }.map { $0["balance"] } == [
          .integer(30)
        ])
      #expect(try transaction.read { try $0.keys(Account.mapping) } == [1, 2, 3])
      #expect(try transaction.read { try $0.exists(Account.mapping.keys([3])) })
      #expect(
        try transaction.read { try $0.groups(Account.mapping, [.count, .sum("balance")]) } == [
          [.integer(3), .integer(45)]
        ])
      let loaded = try transaction.read { try $0.object(Account.mapping, key: 1, including: \.entries) }
      #expect(loaded?.entries.map(\.amount) == [10])
      try transaction.delete(Account.mapping, key: 3)
      #expect(try transaction.read { try $0.object(Account.mapping, key: 3) } == nil)
      let others = ThreadWork { [store = world.store] in try Ledger.balance(1, in: store) }
      #expect(try others.value() == 10)
    }
    #expect(try Ledger.balance(1, in: world.store) == 15)
  }

  @Test(arguments: StoreKind.allCases) func everyIncrementOfEightThreadsCounts(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let threads = kind == .postgres ? 16 : 8
    let work = (0..<threads).map { _ in
      ThreadWork { [store = world.store] in
        for _ in 0..<25 { try store.update(Account.mapping.keys([2])) { $0.balance += 1 } }
      }
    }
    for each in work { try each.value() }
    #expect(try Ledger.balance(2, in: world.store) == threads * 25)
  }

  @Test(arguments: StoreKind.allCases) func aReadAndAWriteOfEightThreadsDoNotMixUp(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let work = (0..<8).map { _ in
      ThreadWork { [store = world.store] in
        for _ in 0..<25 {
          try store.write { transaction in
            let account = try transaction.read { try $0.object(Account.mapping, key: 2) }
            guard let account else { return }
            account.balance += 1
            try transaction.upsert([account], as: Account.mapping)
          }
        }
      }
    }
    for each in work { try each.value() }
    #expect(try Ledger.balance(2, in: world.store) == 200)
  }

  @Test(arguments: StoreKind.allCases) func theFormWithAwaitDoesTheSame(_ kind: StoreKind) async throws {
    let world = try Ledger.world(kind)
    let balance = try await world.store.write { transaction in
      try transaction.update(Account.mapping.keys([1])) { $0.balance += 1 }
      return try transaction.read { try $0.object(Account.mapping, key: 1) }?.balance
    }
    #expect(balance == 11)
    await #expect(throws: Undone.self) {
      try await world.store.write { transaction in
        try transaction.delete(Account.mapping)
        throw Undone()
      }
    }
    #expect(try await world.store.read { try $0.count(Account.mapping) } == 2)
  }

  @Test(arguments: StoreKind.allCases) func aContextOfATransactionIsAPartOfIt(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let before = try world.dump()
    for isUndone in [true, false] {
      try? world.store.write { transaction in
        try transaction.importJSON(#"{"id": 1, "balance": 20}"#, as: Account.mapping)
        try transaction.withContext(for: Account.mapping) { context in
          let ada = try #require(try context.object(Account.mapping, key: 1, including: \.entries))
          #expect(ada.balance == 20)
          ada.balance += 1
          ada.entries.append(Entry(6, 1))
          try context.save()
          _ = try context.importJSON(#"{"id": 1, "owner": "Lovelace"}"#, as: Account.mapping)
          #expect(ada.owner == "Lovelace")
        }
        #expect(
          try transaction.read { try $0.object(Account.mapping, key: 1, including: \.entries) }?.entries.count
            == 2)
        if isUndone { throw Undone() }
      }
      if isUndone { #expect(try world.dump() == before) }
    }
    #expect(try world.dump(of: "Account 1") == #"Account 1 balance=21 owner="Lovelace" entries=[5 6]"#)
  }

  @Test(arguments: StoreKind.allCases) func aDeletionAndAnExportArePartsOfIt(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    try world.store.write { transaction in
      let report = try transaction.delete(Account.mapping.where(Filter("@.balance == 0")))
      #expect(report.total == 1)
      #expect(try transaction.store.exported(Entry.mapping) == #"[{"id":5,"amount":10}]"#)
      #expect(try transaction.delete(Account.mapping, key: 7).total == 0)
    }
    #expect(try world.store.read { try $0.keys(Account.mapping) } == [1])
  }

  @Test(arguments: StoreKind.allCases) func aPayloadThatDeletesRunsAgainWithAllCalls(_ kind: StoreKind) throws
  {
    let item = Mapping("Item", primaryKey: "id", deletedBy: "gone") {
      Attribute("id", .integer)
      Attribute("gone", .boolean)
      Attribute("label", .string)
    }
    let list = Mapping("List", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("items", item)
    }
    let json =
      #"[{"id": 1, "items": [{"id": 7, "label": "x"}, {"id": 8}]}, {"id": 2, "items": [{"id": 7, "gone": true}]}]"#
    let (alone, together) = (try World(kind, list, item), try World(kind, list, item))
    try alone.load(#"{"id": 3, "items": [{"id": 9}]}"#)
    let options = ImportOptions(batchSize: 1)
    try alone.load(json, options: options)
    var runs = 0
    try together.store.write { transaction in
      runs += 1
      try transaction.importJSON(#"{"id": 3, "items": [{"id": 9}]}"#, as: list)
      try transaction.importJSON(json, as: list, options: options)
    }
    #expect(runs >= 2)
    #expect(try together.dump() == alone.dump())
  }

  @Test(arguments: StoreKind.allCases) func objectsInConflictAreLeftOutOfATransaction(_ kind: StoreKind)
    throws
  {
    let user = Mapping("User", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("email", .string)
      Index("email", isUnique: true)
    }
    let world = try World(kind, user)
    let report = try world.store.write { transaction in
      try transaction.importJSON(#"{"id": 1, "email": "a"}"#, as: user)
      return try transaction.importJSON(
        #"[{"id": 2, "email": "b"}, {"id": 3, "email": "a"}, {"id": 4, "email": "c"}]"#, as: user,
        options: ImportOptions(faults: .skip))
    }
    #expect(report.errorCount == 1)
    #expect(try world.store.read { try $0.keys(user) } == [1, 2, 4])
  }

  @Test(arguments: StoreKind.allCases) func aNewTypeIsDeclaredInATransaction(_ kind: StoreKind) throws {
    let narrow = Mapping("Thing", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("size", .integer)
    }
    let wide = Mapping("Thing", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("size", .number)
      Attribute("label", .string).default("none")
    }
    let world = try World(kind, narrow, holding: #"{"id": 1, "size": 2}"#)
    let other = Mapping("Other", primaryKey: "id") { Attribute("id", .integer) }
    try world.store.write { transaction in
      try transaction.importJSON(#"{"id": 1}"#, as: other)
      try transaction.importJSON(#"{"id": 2, "size": 1.5}"#, as: wide)
    }
    let values: [[Value?]] = try world.store.read { try $0.records(wide).map { [$0["size"], $0["label"]] } }
    #expect(values == [[.number(2), .string("none")], [.number(1.5), .string("none")]])
  }

  @Test(arguments: StoreKind.allCases, [false, true])
  func aNewFieldGetsItsValuesFromTheRest(_ kind: StoreKind, deletes: Bool) throws {
    func plan(_ attributes: String) throws -> Plan {
      let file =
        #"{"fastmap": 1, "mappings": {"Order": {"primaryKey": "id", "attributes": {\#(attributes)"rest": "rest"}}}}"#
      return try MappingSet(file: Array(file.utf8)).plan(for: "Order")
    }
    let (old, new) = (try plan(#""id": "integer", "#), try plan(#""id": "integer", "discount": "integer", "#))
    let world = try World(kind, old, holding: #"[{"id": 1, "discount": 5}, {"id": 2}]"#)
    try world.store.write { transaction in
      if deletes {
        try transaction.delete(new, key: 2)
      } else {
        try transaction.importJSON(#"{"id": 3}"#, as: new)
      }
      #expect(try transaction.read { try $0.count(new.where(Filter("@.discount == 5"))) } == 1)
    }
    #expect(try world.store.read { try $0.count(new.where(Filter("@.discount == 5"))) } == 1)
  }

  @Test(arguments: StoreKind.allCases) func changesAreShownAfterTheCommit(_ kind: StoreKind) throws {
    let world = try Ledger.world(kind)
    let shown = Collector<String>()
    var options = ImportOptions()
    options.onChange = { change in shown.add("\(change.entity) \(change.key.map { "\($0)" } ?? "")") }
    let observing = options
    try world.store.write { transaction in
      try transaction.importJSON(#"{"id": 1, "balance": 11}"#, as: Account.mapping, options: observing)
      #expect(shown.all.isEmpty)
    }
    #expect(shown.all == ["Account 1"])
    try? world.store.write { transaction in
      try transaction.importJSON(#"{"id": 1, "balance": 12}"#, as: Account.mapping, options: observing)
      throw Undone()
    }
    #expect(shown.all == ["Account 1"])
  }
}
