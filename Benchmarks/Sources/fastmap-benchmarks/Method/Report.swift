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
      Written by `fastmap-benchmarks report` from the figures of one run; do not edit. How they are
      taken, and how to take them again, is told in [Benchmarks/README.md](../Benchmarks/README.md).
      """,
      """
      - Date: \(machine.date)
      - Machine: \(machine.processor), \(machine.cores) cores, \
      \(Figures.gigabytes(machine.memoryBytes)) of memory, \(machine.kernel), stores on \(machine.fileSystem)
      - Load average: \(Figures.load(machine.loadAtStart)) at the start, \
      \(Figures.load(machine.loadAtEnd)) at the end
      - Versions: Swift \(versions.swift) with its Foundation, jansson \(versions.jansson), \
      LMDB \(versions.lmdb), SQLite \(versions.sqlite)
      """,
    ]
    if max(machine.loadAtStart, machine.loadAtEnd) > Double(machine.cores) {
      parts.append(
        "**The machine was busy with other work:** medians and speeds are far from exact; "
          + "processor times are steadier."
      )
    }
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
    "\(Figures.grouped(workload.rootCount)) \(workload.title): "
      + "\(Figures.grouped(workload.objectCount)) objects, "
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

  /// What the spread allows to say.
  private static func verdict(_ budget: Results.Budget) -> String {
    if budget.found.p25 >= budget.promised { return "yes" }
    return budget.found.p75 < budget.promised ? "no" : "unclear"
  }

  private static func budgets(_ workload: Results.Workload) -> Table {
    var table = Table(header: ["budget", "first", "second", "promised", "found", "p25–p75", "kept"])
    for budget in workload.budgets {
      table.rows.append([
        budget.what, budget.subject, budget.other, "≥ " + Figures.times(budget.promised),
        Figures.times(budget.found.median),
        Figures.times(budget.found.p25) + "–" + Figures.times(budget.found.p75),
        verdict(budget),
      ])
    }
    return table
  }
}
