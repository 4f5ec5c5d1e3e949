/// The budgets of queries and indexes.
extension Budget {
  static let queries: [Speed] =
    [
      ("query-equal", "objects by an indexed integer", 1.2),
      ("query-one", "an object by an indexed string", 1.2),
      ("query-range", "a range of dates, in order", 1.2), ("query-newest", "the newest 20 of a user", 1.2),
      ("query-pages", "all objects in pages of 100, in order", 1.2),
      ("query-scan", "a scan without an index", 1.0),
    ].map { workload, what, limit in
      Speed(
        what: what, workload: workload, subject: "fastmap-query", others: ["sqlite-query"], limit: limit,
        comparison: "time to SQLite's, with the same indexes", isTime: true)
    } + [
      Speed(
        what: "pages of 100 are linear", workload: "query-pages-ends", subject: "fastmap-last-pages",
        others: ["fastmap-first-pages"], limit: 1.2,
        comparison: "time of the last tenth of the pages to that of the first",
        isTime: true)
    ]

  static let indexes: [Speed] = [
    ("string-index", "an import with an index of a string of 45 bytes", 1.15),
    ("date-index", "an import with an index of a date", 1.15),
    ("integer-index", "an import with an index of an integer", 1.15),
    ("2-indexes", "an import with two indexes", 1.3), ("5-indexes", "an import with five indexes", 1.75),
  ].map { name, what, limit in
    Speed(
      what: what, workload: "indexes", subject: "fastmap-\(name)", others: ["fastmap-no-index"], limit: limit,
      comparison: "time to that without an index", isTime: true)
  }
}
