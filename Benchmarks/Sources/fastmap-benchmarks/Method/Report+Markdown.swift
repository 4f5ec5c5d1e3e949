/// docs/BENCHMARKS.md: a page that a reader can finish. `results.json` has every subject of every workload.
extension Report {
  static func markdown(of results: Results, _ curves: Curves?, _ postgres: Results?) -> String {
    var parts = ["# Benchmarks", opening(results)]
    if results.machine.isBusy {
      parts.append(
        "The machine had other work during this run. Medians and speeds are uncertain; processor times are steadier."
      )
    }
    if let note = results.note { parts.append("**\(note)**") }
    for picture in Pictures.all(of: results) { parts.append("![\(picture.title)](images/\(picture.file))") }
    parts += section("Imports", importWords, imports(results))
    if let families = results["families"] {
      parts += section("Families in detail", summary(families) + ".", figures(families))
    }
    parts += section("Reads from a store", readWords, reads(results))
    parts += section("Queries", queryWords, queries(results))
    if let indexes = results["indexes"] {
      parts += section("What indexes cost an import", indexWords, Self.indexes(indexes))
    }
    parts += section("Contexts", contextWords, contexts(results))
    parts += section("Readers", readerWords, readers(results))
    if let growth = results.growth {
      let words =
        "One import of so many records from a pipe into a new store, with a commit each "
        + "\(Figures.grouped(Growth.commitInterval)) records."
      parts += section("Growth", words, growth.table)
    }
    if let curves { parts.append(curves.markdown(beside: results)) }
    if let postgres { parts += Self.postgres(postgres, beside: results) }
    if !results.budgets.isEmpty {
      parts += section("Budgets", budgetWords(results.budgets), budgets(results.budgets, isWhole: true))
    }
    if !results.skipped.isEmpty {
      parts.append(
        "Left out: " + results.skipped.map { "\($0.name) (\($0.reason))" }.joined(separator: "; ") + ".")
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func opening(_ results: Results) -> String {
    let machine = results.machine
    return """
      `fastmap-benchmarks report` writes this page from `Benchmarks/results.json`. Do not edit it. [Benchmarks/README.md](../Benchmarks/README.md) \
      describes the workloads, the subjects and the method, and how to run them. `results.json` has every subject of every workload, with \
      its spread, memory, allocations and instructions.

      - Date: \(machine.date), by \(results.isFull ? "`make bench-full`" : "`make bench`, the short run")
      - Machine: \(machine.words)
      - Load average: \(Figures.load(machine.loadAtStart)) at the start, \
      \(Figures.load(machine.loadAtEnd)) at the end
      - Versions: \(results.versions.words)
      """
  }

  /// Nothing where the run has no figures for the table.
  private static func section(_ title: String, _ words: String, _ table: Table) -> [String] {
    table.rows.isEmpty ? [] : ["## \(title)", words, table.markdown]
  }

  // MARK: Tables over several workloads

  private static let importWords =
    "Medians. Into LMDB: uniqued, related, and one durable commit (of replays, one for each page). FastMap reads ahead on a "
    + "second core if there is one; the others use one core. C++ by hand is simdjson with SQLite upserts."

  private static func imports(_ results: Results) -> Table {
    table(
      results, first: "workload",
      columns: [
        ("FastMap", ["fastmap-lmdb", "fastmap-after"]), ("on one core", ["fastmap-lmdb-one-core"]),
        ("C++ by hand", ["simdjson-sqlite"]), ("JSONDecoder → SQLite", ["jsondecoder-sqlite"]),
        ("JSONDecoder alone", ["jsondecoder"]), ("JSONSerialization alone", ["jsonserialization"]),
      ], isWanted: { $0.name != "export" })
  }

  private static let readWords =
    "Medians. *LMDB alone* is the floor: the same keys, and one byte of each value."

  private static func reads(_ results: Results) -> Table {
    table(
      results, first: "workload",
      columns: [
        ("FastMap", ["fastmap-gets", "fastmap-range", "fastmap-export"]),
        ("SQLite", ["sqlite-gets", "sqlite-range", "sqlite-export"]),
        ("LMDB alone", ["lmdb-gets", "lmdb-range"]),
        ("JSONEncoder", ["jsonencoder"]),
      ])
  }

  private static let queryWords =
    "Medians, among a million events in one file each, with the same indexes in both. Each query lends one attribute of its results. "
    + "SQLite runs a prepared select, with its file mapped. Both use one core."

  private static func queries(_ results: Results) -> Table {
    var table = Table(
      header: ["workload", "what", "FastMap", "SQLite", "FastMap to SQLite", "of processor time"])
    for workload in results.workloads {
      guard let own = workload["fastmap-query"], let other = workload["sqlite-query"] else { continue }
      table.rows.append([
        workload.name, "\(Figures.grouped(workload.rootCount)) objects: \(workload.title)",
        Figures.milliseconds(own.seconds.median), Figures.milliseconds(other.seconds.median),
        ratio(own, other, \.seconds), ratio(own, other, \.processorSeconds),
      ])
    }
    return table
  }

  private static let indexWords =
    "Families into a new store, without an index and with indexes of the children. The string has some 45 bytes."

  private static func indexes(_ workload: Results.Workload) -> Table {
    var table = Table(header: ["subject", "median", "processor", "to no index", "of processor time", "files"])
    guard let base = workload[workload.base] else { return table }
    for subject in workload.subjects {
      table.rows.append([
        subject.title, Figures.milliseconds(subject.seconds.median),
        Figures.milliseconds(subject.processorSeconds.median), ratio(subject, base, \.seconds),
        ratio(subject, base, \.processorSeconds), subject.fileBytes.map(Figures.megabytes) ?? "",
      ])
    }
    return table
  }

  private static func ratio(
    _ a: Results.Measured, _ b: Results.Measured, _ spread: (Results.Measured) -> Spread
  ) -> String {
    Figures.times(spread(a).median / spread(b).median)
  }

  private static let contextWords =
    "Medians, among a million books. SQLite by hand is prepared statements, a class for each table, and a dictionary of instances for "
    + "each transaction. Each save, import and update is a durable commit of its own."

  private static func contexts(_ results: Results) -> Table {
    table(
      results, first: "workload",
      columns: [
        ("FastMap, one at a time", ["fastmap-contexts", "fastmap-saves"]),
        ("FastMap, all at once", ["fastmap-context-of-many"]),
        ("FastMap, by import", ["fastmap-field-imports"]),
        ("SQLite by hand, one at a time", ["sqlite-books", "sqlite-field-updates"]),
        ("SQLite by hand, all at once", ["sqlite-books-of-many"]),
      ])
  }

  /// A row for each workload that has a subject of the first column.
  private static func table(
    _ results: Results, first: String, columns: [(title: String, subjects: [String])],
    isWanted: (Results.Workload) -> Bool = { _ in true }
  ) -> Table {
    var table = Table(header: [first, "what"] + columns.map(\.title))
    for workload in results.workloads where isWanted(workload) {
      let cells = columns.map { column in
        column.subjects.lazy.compactMap { workload[$0] }.first.map { Figures.milliseconds($0.seconds.median) }
          ?? ""
      }
      guard cells.first?.isEmpty == false else { continue }
      table.rows.append([workload.name, "\(Figures.grouped(workload.rootCount)) \(workload.title)"] + cells)
    }
    return table
  }

  private static let readerWords =
    "How many times as fast as jansson a text becomes a tree that is freed again, and how many MB a second. simdjson's tree cannot be "
    + "kept or changed."

  /// The workloads `read-…`, side by side.
  private static func readers(_ results: Results) -> Table {
    let workloads = results.workloads.filter { $0.name.hasPrefix("read-") && $0.base == "jansson" }
    let subjects = workloads.first?.subjects ?? []
    var table = Table(header: ["text"] + subjects.map(\.title))
    for workload in workloads {
      table.rows.append(
        [String(workload.name.dropFirst("read-".count))]
          + subjects.map { subject in
            guard let found = workload[subject.name], let speed = found.speedToBase else { return "" }
            let rate = Double(workload.byteCount) / found.seconds.median / 1e6
            return "\(Figures.times(speed.median)) (\(Int(rate.rounded())))"
          })
    }
    return table
  }

  private static func budgetWords(_ budgets: [Budget]) -> String {
    let met = budgets.filter { [.met, .narrowlyMet].contains($0.verdict) }.count
    let unknown = budgets.filter { $0.verdict == .notMeasured }.count
    return "Each budget is a ratio within this run. \(met) of \(budgets.count) are met"
      + (unknown > 0 ? ", \(unknown) not measured" : "") + ". *Of processor time* counts both cores."
  }
}
