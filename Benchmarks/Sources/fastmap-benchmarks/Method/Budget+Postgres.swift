extension Budget {
  /// A maximum time of FastMap in PostgreSQL, compared with the time of another subject of the same workload.
  private struct Time {
    var what: String
    var workload: String
    var other: String
    var atMost: Double
    var comparison: String
  }

  private static let times = [
    Time(
      what: "bytes → new store, uniqued, related, durable", workload: "postgres-import", other: "psql-copy",
      atMost: 1.5, comparison: "time to that of `COPY` and upserts by hand"),
    Time(
      what: "the same payload again", workload: "postgres-again", other: "psql-copy", atMost: 0.6,
      comparison: "time to that of `COPY` and upserts by hand, again"),
    Time(
      what: "the same payload again", workload: "postgres-again", other: "psql-copy-new", atMost: 0.6,
      comparison: "time to that of `COPY` and upserts by hand, into empty tables"),
    Time(
      what: "another payload, in which all objects have changed", workload: "postgres-update-all",
      other: "psql-copy", atMost: 1.5, comparison: "time to that of `COPY` and upserts by hand"),
    Time(
      what: "export as NDJSON", workload: "postgres-export", other: "psql-copy", atMost: 2,
      comparison: "time to that of `COPY … TO` of the same rows as text"),
  ]

  /// The budgets of PostgreSQL that were measured.
  static func postgres(of results: Results) -> [Budget] {
    times.compactMap { time in
      guard let workload = results[time.workload], let own = workload["fastmap-postgres"]?.samples,
        let other = workload[time.other]?.samples,
        let found = Spread(zip(own, other).map { $0.seconds / $1.seconds })
      else { return nil }
      return Budget(
        what: time.what, comparison: time.comparison, promised: time.atMost, isMost: true, unit: "×",
        found: found
      )
    }
  }
}
