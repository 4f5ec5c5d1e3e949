import CSQLite
import FastMapCore
import FastMapLMDB

/// FastMap: all values of a `Codable` type from an LMDB store.
struct FastMapValues: Subject {
  let stored: StoredPeople

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    let expected = StoredPeople.sum(stored.people)
    var kept: [Person] = []
    return {
      kept = try store.read { try $0.values(StoredPeople.mapping) }
      try WrongOutcome.check(StoredPeople.sum(kept) == expected, "the people that were stored")
      return kept.count
    }
  }
}

/// SQLite: all rows of a table, each decoded by its type's `init(from:)`, as a library of records does.
struct SQLiteValues: Subject {
  let stored: StoredPeople

  func prepare() throws -> () throws -> Int {
    let database = try SQLiteDatabase(at: stored.sqlite)
    try database.configure()
    let expected = StoredPeople.sum(stored.people)
    var kept: [Person] = []
    return {
      let select = try database.prepare("SELECT * FROM person ORDER BY id")
      let decoder = RowDecoder(select)
      var people: [Person] = []
      while select.step() { people.append(try Person(from: decoder)) }
      kept = people
      try WrongOutcome.check(StoredPeople.sum(kept) == expected, "the people that were stored")
      return kept.count
    }
  }
}

/// SQLite: all rows of a table, with an initialiser written by hand, as the limit.
struct SQLiteRows: Subject {
  let stored: StoredPeople

  func prepare() throws -> () throws -> Int {
    let database = try SQLiteDatabase(at: stored.sqlite)
    try database.configure()
    let expected = StoredPeople.sum(stored.people)
    var kept: [Person] = []
    return {
      let select = try database.prepare("SELECT * FROM person ORDER BY id")
      var people: [Person] = []
      while select.step() {
        people.append(
          Person(
            id: Int(select.integer(0)), name: select.text(1), email: select.isNull(2) ? nil : select.text(2),
            city: select.text(3), age: Int(select.integer(4)), score: select.number(5),
            isActive: select.integer(6) != 0, note: select.isNull(7) ? nil : select.text(7),
            phone: select.isNull(8) ? nil : select.text(8), visits: Int(select.integer(9))))
      }
      kept = people
      try WrongOutcome.check(StoredPeople.sum(kept) == expected, "the people that were stored")
      return kept.count
    }
  }
}
