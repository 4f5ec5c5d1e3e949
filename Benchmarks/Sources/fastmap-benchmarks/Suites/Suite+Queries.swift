import FastMapCore
import FastMapQueries
import Foundation

extension Suite {
  /// Queries over a million objects, with an index and without.
  static var queries: [Suite] {
    [
      queries(
        "query-equal", "100 queries: the events of a user, some 1000 each", count: { $0.eventsOfUsers(100) },
        { stored, run in
          for user in 0..<min(100, stored.events.userCount) {
            _ = try run(stored.plan.where { $0["user"] == user })
          }
        }, "SELECT title, id FROM event WHERE user = ? ORDER BY id",
        { stored, select, run in
          for user in 0..<min(100, stored.events.userCount) {
            select.bind(Int64(user), at: 1)
            _ = try run()
          }
        }),
      queries(
        "query-one", "10 000 queries: the event with a login", count: { $0.events.someLogins.count },
        { stored, run in
          for login in stored.events.someLogins { _ = try run(stored.plan.where { $0["login"] == login }) }
        }, "SELECT title, id FROM event WHERE login = ?",
        { stored, select, run in
          for login in stored.events.someLogins {
            select.bind(login, at: 1)
            _ = try run()
          }
        }),
      queries(
        "query-range", "events of a range of dates, in their order: a tenth of all",
        count: { $0.countOfTenth },
        { stored, run in
          let (from, to) = Events.tenth
          _ = try run(
            stored.plan.where {
              $0["created"] >= Timestamp(seconds: Int64(from))
                && $0["created"] < Timestamp(seconds: Int64(to))
            }.sorted(by: "created"))
        }, "SELECT title, id FROM event WHERE created >= ? AND created < ? ORDER BY created, id",
        { _, select, run in
          let (from, to) = Events.tenth
          select.bind(Int64(from), at: 1)
          select.bind(Int64(to), at: 2)
          _ = try run()
        }),
      queries(
        "query-newest", "1000 queries: the newest 20 events of a user",
        count: { _ in 20 * 1000 },
        { stored, run in
          for turn in 0..<1000 {
            _ = try run(
              stored.plan.where { $0["user"] == turn % stored.events.userCount }
                .sorted(by: "created", descending: true).limit(20))
          }
        }, "SELECT title, id FROM event WHERE user = ? ORDER BY created DESC, id LIMIT 20",
        { stored, select, run in
          for turn in 0..<1000 {
            select.bind(Int64(turn % stored.events.userCount), at: 1)
            _ = try run()
          }
        }),
      queries(
        "query-pages", "all events in the order of their dates, in pages of 100", count: { $0.events.count },
        { stored, run in try pages(of: stored, 0, 10, run) },
        // The second parameter is the last key before the page.
        "SELECT title, id, created FROM event WHERE (created, id) > (?, ?) ORDER BY created, id LIMIT 100",
        { stored, select, run in
          var last: Int64?
          for _ in 0..<pageCount(stored, 0, 10) {
            select.bind(last.map { Int64(stored.events.created[Int($0) - 1]) } ?? .min, at: 1)
            select.bind(last ?? .min, at: 2)
            last = try run()
            if last == nil { return }
          }
        }),
      Suite(
        "query-pages-ends", "events in these pages: the first tenth, and the last tenth",
        base: "fastmap-first-pages",
        size: Size(1_000_000, smoke: 1000),
        [
          Candidate("fastmap-first-pages", "FastMap: the first tenth of the pages") { stored, _ in
            FastMapQueries(stored: stored) { try pages(of: stored, 0, 1, $0) }
          },
          Candidate("fastmap-last-pages", "FastMap: the last tenth of the pages") { stored, _ in
            FastMapQueries(stored: stored) { try pages(of: stored, 9, 10, $0) }
          },
        ],
        counts: { (pageCount($0, 0, 1) * 100, $0.events.count, 0) }
      ) { size, _ in try StoredEvents.of(size) },
      queries(
        "query-scan", "events with a status and a score below 0.01, without an index",
        count: { $0.countOfScan },
        { stored, run in _ = try run(stored.plan.where { $0["status"] == "open" && $0["score"] < 0.01 }) },
        "SELECT title, id FROM event WHERE status = 'open' AND score < 0.01", { _, _, run in _ = try run() }),
    ]
  }

  private static func pageCount(_ stored: StoredEvents, _ first: Int, _ end: Int) -> Int {
    (stored.events.count * end / 10 - stored.events.count * first / 10 + 99) / 100
  }

  /// Some tenths of all events in the order of their dates, in pages of 100. Each page is a query that begins behind the last event of
  /// the page before.
  private static func pages(
    of stored: StoredEvents, _ first: Int, _ end: Int, _ run: (Query<Plan>) throws -> PrimaryKey?
  ) throws {
    let start = first == 0 ? nil : stored.keysInOrderOfDates[stored.events.count * first / 10 - 1]
    var last = start.map { PrimaryKey.integer($0) }
    for _ in 0..<pageCount(stored, first, end) {
      let page = stored.plan.sorted(by: "created").limit(100)
      last = try run(last.map { page.after(key: $0) } ?? page)
      if last == nil { return }
    }
  }

  private static func queries(
    _ name: String, _ title: String, count: @escaping (StoredEvents) -> Int,
    _ fastMap: @escaping (StoredEvents, (Query<Plan>) throws -> PrimaryKey?) throws -> Void, _ sql: String,
    _ sqlite: @escaping (StoredEvents, SQLiteStatement, () throws -> Int64?) throws -> Void
  ) -> Suite {
    let candidates: [Candidate<StoredEvents>] = [
      Candidate("fastmap-query", "FastMap: one attribute lent") { stored, _ in
        FastMapQueries(stored: stored) { try fastMap(stored, $0) }
      },
      Candidate(
        "sqlite-query", "SQLite: \(sql.lowercased().contains("where") ? "prepared select" : "select")"
      ) {
        stored, _ in
        SQLiteQueries(stored: stored, sql: sql) { try sqlite(stored, $0, $1) }
      },
    ]
    return Suite(
      name, title, base: "sqlite-query", size: Size(1_000_000, smoke: 1000), candidates,
      counts: { (count($0), $0.events.count, 0) }
    ) { size, _ in try StoredEvents.of(size) }
  }
}

extension Events {
  /// One in a hundred.
  fileprivate var someLogins: [String] {
    stride(from: 0, to: count, by: max(1, count / 10_000)).map { logins[$0] }
  }

  /// A tenth of all dates.
  fileprivate static var tenth: (UInt64, UInt64) {
    (firstDate + UInt64(dates) / 2, firstDate + UInt64(dates) / 10 * 6)
  }
}

extension StoredEvents {
  fileprivate func eventsOfUsers(_ count: Int) -> Int { events.users.count { $0 < count } }

  fileprivate var countOfTenth: Int {
    let (from, to) = Events.tenth
    return events.created.count { $0 >= from && $0 < to }
  }

  fileprivate var countOfScan: Int {
    (1...events.count).count { Events.status(of: $0) == 0 && events.scores[$0 - 1] < 0.01 }
  }
}
