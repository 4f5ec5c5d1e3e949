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

/// SQLite: all rows of a table.
struct SQLiteValues: Subject {
  let stored: StoredPeople
  /// Whether an initialiser written by hand reads a row, as the limit, or the type's `init(from:)`, as a library of records does.
  let isByHand: Bool

  func prepare() throws -> () throws -> Int {
    let database = try SQLiteDatabase(at: stored.sqlite)
    try database.configure()
    let expected = StoredPeople.sum(stored.people)
    var kept: [Person] = []
    return {
      let select = try database.prepare("SELECT * FROM person ORDER BY id")
      var people: [Person] = []
      if isByHand {
        while select.step() { people.append(Person(row: select)) }
      } else {
        let decoder = RowDecoder(select)
        while select.step() { people.append(try Person(from: decoder)) }
      }
      kept = people
      try WrongOutcome.check(StoredPeople.sum(kept) == expected, "the people that were stored")
      return kept.count
    }
  }
}

extension Person {
  fileprivate init(row: SQLiteStatement) {
    self.init(
      id: Int(row.integer(0)), name: row.text(1), email: row.isNull(2) ? nil : row.text(2), city: row.text(3),
      age: Int(row.integer(4)), score: row.number(5), isActive: row.integer(6) != 0,
      note: row.isNull(7) ? nil : row.text(7), phone: row.isNull(8) ? nil : row.text(8),
      visits: Int(row.integer(9)))
  }
}
