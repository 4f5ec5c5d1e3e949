// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapMemory
import TestSupport
import Testing

@Suite("Transactions.md")
struct TransactionTests {
  let person = Mapping("Person", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  final class Account {
    var id = 0
    var balance = 0

    static let mapping = Mapping(Account.self, "Account", primaryKey: "id", make: { Account() }) {
      Attribute("id", \.id)
      Attribute("balance", \.balance)
    }
  }

  @Test func aTransactionIsOneStep() throws {
    let store = MemoryStore()

    let accounts = #"[{"id": 1, "balance": 50}, {"id": 2, "balance": 0}]"#
    try store.write { transaction in
      try transaction.importJSON(accounts, as: Account.mapping)
      try transaction.importJSON(#"{"id": 314, "name": "Ada"}"#, as: person)
    }
    #expect(try store.read { try $0.count(person) } == 1)

    struct NotEnough: Error {}

    try store.write { transaction in
      let from = try transaction.read { try $0.object(Account.mapping, key: 1) }
      guard let from, from.balance >= 30 else { throw NotEnough() }
      try transaction.update(Account.mapping.keys([1])) { $0.balance -= 30 }
      try transaction.update(Account.mapping.keys([2])) { $0.balance += 30 }
    }
    #expect(try store.read { try $0.objects(Account.mapping).map(\.balance) } == [20, 30])

    try store.update(Account.mapping.keys([1])) { $0.balance += 1 }          // eight threads at once: all of them count
    #expect(try store.read { try $0.object(Account.mapping, key: 1)?.balance } == 21)

    let new = Account()
    new.id = 3
    try store.insert([new], as: Account.mapping)                              // an error if the key is taken
    new.balance = 5
    try store.upsert([new], as: Account.mapping)                              // inserts, or writes all attributes
    try store.update(Account.mapping.keys([3]), set: \.balance, to: 6)
    try store.delete(Account.mapping.keys([3]))
    #expect(try store.read { try $0.count(Account.mapping) } == 2)
  }
}
