import FastMapCore
import TestSupport

/// Accounts and entries, for tests of transactions.
enum Ledger {
  final class Account {
    var id = 0
    var balance = 0
    var owner: String?
    var entries: [Entry] = []

    init() {}

    init(_ id: Int, _ balance: Int, owner: String? = nil, entries: [Entry] = []) {
      (self.id, self.balance, self.owner, self.entries) = (id, balance, owner, entries)
    }

    static let mapping: Mapping<Account> = Mapping(
      Account.self, "Account", primaryKey: "id", make: { Account() }
    ) {
      Attribute("id", \.id)
      Attribute("balance", \.balance)
      Attribute("owner", \.owner)
      ToMany("entries", \.entries, Entry.mapping)
      Index("owner")
    }
  }

  final class Entry {
    var id = 0
    var amount: Int?

    init() {}

    init(_ id: Int, _ amount: Int?) { (self.id, self.amount) = (id, amount) }

    static let mapping = Mapping(Entry.self, "Entry", primaryKey: "id", make: { Entry() }) {
      Attribute("id", \.id)
      Attribute("amount", \.amount)
    }
  }

  static let payload = #"""
    [{"id": 1, "balance": 10, "owner": "Ada", "entries": [{"id": 5, "amount": 10}]}, {"id": 2, "balance": 0}]
    """#

  static func world(_ kind: StoreKind) throws -> World {
    try World(kind, Account.mapping, Entry.mapping, holding: payload)
  }

  static func balance(_ key: Int, in store: any Store) throws -> Int? {
    try store.read { try $0.object(Account.mapping, key: key)?.balance }
  }
}

/// The undoing of a transaction.
struct Undone: Error {}
