/// Results in words.
enum Report {
  /// For the terminal.
  static func text(of workload: Results.Workload) -> String {
    var parts = ["\(workload.name): \(summary(workload))", figures(workload).text]
    if !workload.budgets.isEmpty { parts.append(budgets(workload).text) }
    return parts.joined(separator: "\n\n") + "\n"
  }

  /// For docs/BENCHMARKS.md.
  static func markdown(of results: Results) -> String {
    let machine = results.machine
    let versions = results.versions
    var parts = [
      "# Benchmarks",
      """
      Written by `fastmap-benchmarks report` from the figures of one run; do not edit. How they are taken, and how to take
      them again, is told in [Benchmarks/README.md](../Benchmarks/README.md).
      """,
      """
      - Date: \(machine.date)
      - Machine: \(machine.processor), \(machine.cores) cores, \(Figures.gigabytes(machine.memoryBytes)) of memory, \
      \(machine.kernel), stores on \(machine.fileSystem)
      - Load average: \(machine.loadAtStart) at the start, \(machine.loadAtEnd) at the end (1 is this program alone)
      - Versions: Swift \(versions.swift) with its Foundation, jansson \(versions.jansson), LMDB \(versions.lmdb), \
      SQLite \(versions.sqlite)
      """,
    ]
    if let note = results.note { parts.append("**\(note)**") }
    for workload in results.workloads {
      parts.append("## \(workload.name)")
      parts.append(summary(workload) + ".")
      parts.append(figures(workload).markdown)
      if !workload.budgets.isEmpty {
        parts.append("Budgets: how many times as fast the first is to be as the second, and is.")
        parts.append(budgets(workload).markdown)
      }
    }
    return parts.joined(separator: "\n\n") + "\n"
  }

  private static func summary(_ workload: Results.Workload) -> String {
    "\(Figures.grouped(workload.rootCount)) \(workload.title): \(Figures.grouped(workload.objectCount)) objects, "
      + "\(Figures.megabytes(workload.byteCount)) of JSON, \(workload.rounds) rounds"
  }

  private static func figures(_ workload: Results.Workload) -> Table {
    var table = Table(
      header: [
        "subject", "median", "p25–p75 (ms)", "processor", "speed to \(workload.base)", "peak memory",
        "allocations",
        "files",
      ])
    for subject in workload.subjects {
      table.rows.append([
        subject.title, Figures.milliseconds(subject.seconds.median), Figures.milliseconds(subject.seconds),
        Figures.milliseconds(subject.processorSeconds.median),
        subject.speedToBase.map { Figures.times($0.median) } ?? "",
        subject.peakBytes.map(Figures.megabytes) ?? "",
        subject.allocations.map(Figures.grouped) ?? "", subject.fileBytes.map(Figures.megabytes) ?? "",
      ])
    }
    return table
  }

  private static func budgets(_ workload: Results.Workload) -> Table {
    var table = Table(header: ["budget", "first", "second", "promised", "found", "p25–p75", "kept"])
    for budget in workload.budgets {
      table.rows.append([
        budget.what, budget.subject, budget.other, "≥ " + Figures.times(budget.promised),
        Figures.times(budget.found.median),
        Figures.times(budget.found.p25) + "–" + Figures.times(budget.found.p75),
        budget.found.median >= budget.promised ? "yes" : "no",
      ])
    }
    return table
  }
}
