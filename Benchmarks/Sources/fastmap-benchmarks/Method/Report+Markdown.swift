/// docs/BENCHMARKS.md.
extension Report {
  static func markdown(of results: Results) -> String {
    var parts = ["# Benchmarks", opening(results)]
    if let warning = warning(results) { parts.append(warning) }
    if let note = results.note { parts.append("**\(note)**") }
    if !results.budgets.isEmpty {
      parts += [
        "## Budgets", budgetWords(results.budgets), conditions,
        budgets(results.budgets, isWhole: true).markdown,
      ]
    }
    for picture in Pictures.all(of: results) { parts.append("![\(picture.title)](images/\(picture.file))") }
    if let readers = readers(results) {
      parts += [
        "## Readers",
        "Speed of making a tree from a text and freeing it, compared with jansson's loader (and MB a second). simdjson's tree cannot be "
          + "kept or changed, so it is the limit.",
        readers.markdown,
      ]
    }
    for workload in results.workloads {
      parts += ["## \(workload.name)", summary(workload) + ".", figures(workload).markdown]
    }
    if let growth = results.growth {
      parts += [
        "## growth",
        "One import from a pipe into a new store, with a commit each \(Figures.grouped(Growth.commitInterval)) records.",
        growth.table.markdown,
      ]
      if !growth.keys.isEmpty {
        parts += [
          "The cost of one key in these stores, alone or in a batch of \(Figures.grouped(Curves.batch)) in one read or import. A look-up "
            + "lends one attribute. An update and an insert are imports of JSON with a durable commit.",
          growth.keyTable.markdown,
        ]
      }
    }
    if !results.instructions.isEmpty {
      parts += [
        "## instructions",
        "Instructions of the timed part, counted by callgrind, for families of \(results.instructions[0].objectCount) objects.",
        Instructions.table(results.instructions).markdown,
      ]
    }
    if !results.skipped.isEmpty {
      parts.append(
        "Left out: " + results.skipped.map { "\($0.name) (\($0.reason))" }.joined(separator: "; ") + ".")
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func budgetWords(_ budgets: [Budget]) -> String {
    let met = budgets.filter { [.met, .narrowlyMet].contains($0.verdict) }.count
    let unknown = budgets.filter { $0.verdict == .notMeasured }.count
    return "FastMap's performance goals, each as a ratio within this run: "
      + "\(met) of \(budgets.count) are met" + (unknown > 0 ? ", \(unknown) not measured." : ".")
  }

  /// The conditions of threads and memory for reading the budgets.
  private static let conditions =
    "FastMap's imports into LMDB, classes or records read ahead on a second core if there is one. The "
    + "other tools use one core. *Of processor time* counts both cores; the workload's table has "
    + "FastMap's rows *on one core*. Between rounds, each subject's allocator keeps the memory that the "
    + "subject freed, as the C library does by default. FastMap keeps up to 256 MiB of freed tree "
    + "memory."

  private static func opening(_ results: Results) -> String {
    let machine = results.machine
    return """
      Written by `fastmap-benchmarks report` from `Benchmarks/results.json`, from one run; do not edit.
      [Benchmarks/README.md](../Benchmarks/README.md) describes the workloads, the subjects and the method, and how to run them again.

      - Date: \(machine.date)
      - Run: \(results.isFull ? "`make bench-full`" : "`make bench`, the short one")
      - Machine: \(machine.words)
      - Load average: \(Figures.load(machine.loadAtStart)) at the start, \
      \(Figures.load(machine.loadAtEnd)) at the end
      - Versions: \(results.versions.words)
      """
  }

  private static func warning(_ results: Results) -> String? {
    guard results.machine.isBusy else { return nil }
    return
      "**The machine was busy with other work:** medians and speeds are inexact; processor times are steadier."
  }

  /// The workloads `read-…` side by side.
  private static func readers(_ results: Results) -> Table? {
    let workloads = results.workloads.filter { $0.name.hasPrefix("read-") && $0.base == "jansson" }
    guard let subjects = workloads.first?.subjects, !subjects.isEmpty else { return nil }
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
}
