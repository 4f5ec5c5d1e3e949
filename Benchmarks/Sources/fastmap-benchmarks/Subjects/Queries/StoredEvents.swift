import FastMapCore
import FastMapLMDB
import Foundation

/// The events in two closed stores: FastMap's and SQLite's, with the same indexes.
final class StoredEvents {
  let events: Events
  let plan: Plan
  let fastMap: String
  let sqlite: String
  private let folder: Folder
  /// Made when a query is prepared, before it is measured.
  private(set) lazy var keysInOrderOfDates = events.created.indices
    .sorted { (events.created[$0], $0) < (events.created[$1], $1) }.map { Int64($0 + 1) }

  /// All suites of queries read the same stores.
  // nonisolated(unsafe): suites run one after the other, on one thread.
  nonisolated(unsafe) private static var last: StoredEvents?

  static func of(_ count: Int) throws -> StoredEvents {
    if let last, last.events.count == count { return last }
    let stored = try StoredEvents(Events(count: count))
    last = stored
    return stored
  }

  private init(_ events: Events) throws {
    self.events = events
    folder = try Folder()
    plan = try Plan(
      Mapping("Event", primaryKey: "id") {
        Attribute("id", .integer)
        Attribute("user", .integer)
        Attribute("status", .string)
        Attribute("score", .number)
        Attribute("created", .date(.iso8601))
        Attribute("title", .string)
        Attribute("login", .string)
        Index("user", "created")
        Index("created")
        Index("login")
      })
    fastMap = try folder.newPath("events-fastmap")
    sqlite = try folder.newDirectory("events-sqlite") + "/events.sqlite"
    _ = try Mapper(LMDBStore(at: fastMap)).importJSON(events.json, as: plan)
    try insertIntoSQLite()
  }

  private func insertIntoSQLite() throws {
    let sqlite = try database()
    try sqlite.execute(
      """
      CREATE TABLE event (id INTEGER PRIMARY KEY, user INTEGER, status TEXT, score REAL, created INTEGER, title TEXT, login TEXT);
      CREATE INDEX event_user ON event (user, created);
      CREATE INDEX event_created ON event (created);
      CREATE INDEX event_login ON event (login);
      BEGIN
      """)
    let insert = try sqlite.prepare("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?)")
    let store = try LMDBStore(at: fastMap)
    guard let title = plan.schema.entities[0].fields.firstIndex(where: { $0.name == "title" }) else { return }
    var failure: (any Error)?
    try store.read(plan) { snapshot in
      try snapshot.forEachRow(plan.query) { row, key in
        guard case .integer(let id)? = key else { return true }
        let place = Int(id) - 1
        insert.bind(id, at: 1)
        insert.bind(Int64(events.users[place]), at: 2)
        insert.bind("\(Events.statuses[Events.status(of: Int(id))])", at: 3)
        insert.bind(events.scores[place], at: 4)
        insert.bind(Int64(events.created[place]), at: 5)
        insert.bind(String(decoding: row[title].bytes ?? .init(start: nil, count: 0), as: UTF8.self), at: 6)
        insert.bind(events.logins[place], at: 7)
        do { try insert.run() } catch { failure = error }
        return failure == nil
      }
    }
    if let failure { throw failure }
    try sqlite.execute("COMMIT; ANALYZE")
  }

  func database() throws -> SQLiteDatabase {
    let database = try SQLiteDatabase(at: sqlite)
    try database.configure()
    return database
  }
}

/// FastMap: queries, each in the same snapshot, that lend the title of each object.
struct FastMapQueries: Subject {
  let stored: StoredEvents
  /// Calls its argument with each query.
  let queries: ((Query<Plan>) throws -> PrimaryKey?) throws -> Void

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    let work = {
      try store.read(stored.plan) { snapshot in
        guard let title = snapshot.schema.entities[0].fields.firstIndex(where: { $0.name == "title" }) else {
          return -1
        }
        var count = 0
        try queries { query in
          var last: PrimaryKey?
          try snapshot.forEachRow(query) { row, key in
            if row[title].bytes?.isEmpty == false { count += 1 }
            last = key
            return true
          }
          return last
        }
        return count
      }
    }
    // The first access of a process to a page of a file is a page fault.
    _ = try work()
    return work
  }
}

/// SQLite: a prepared select, which reads the title of each row.
struct SQLiteQueries: Subject {
  let stored: StoredEvents
  let sql: String
  /// Binds each query and calls its last argument to run it. The second column is the key.
  let queries: (SQLiteStatement, () throws -> Int64?) throws -> Void

  func prepare() throws -> () throws -> Int {
    let database = try stored.database()
    let work = {
      let select = try database.prepare(sql)
      var count = 0
      try queries(select) {
        var last: Int64?
        while select.step() {
          if !select.bytes(0).isEmpty { count += 1 }
          last = select.integer(1)
        }
        return last
      }
      return count
    }
    _ = try work()
    return work
  }
}
