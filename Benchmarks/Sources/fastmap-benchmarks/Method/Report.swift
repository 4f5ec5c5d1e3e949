/// Formats results as text.
enum Report {
  /// For the terminal.
  static func text(of workload: Results.Workload) -> String {
    "\(workload.name): \(summary(workload))\n\n" + figures(workload).text
  }

  static func summary(_ workload: Results.Workload) -> String {
    var parts = ["\(Figures.grouped(workload.rootCount)) \(workload.title)"]
    if workload.objectCount > workload.rootCount {
      parts.append("\(Figures.grouped(workload.objectCount)) objects")
    }
    if workload.byteCount > 0 { parts.append("\(Figures.megabytes(workload.byteCount)) of JSON") }
    return parts.joined(separator: ", ") + "; \(workload.rounds) rounds"
  }

  static func figures(_ workload: Results.Workload) -> Table {
    var table = Table(
      header: [
        "subject", "median", "p25–p75 (ms)", "first time", "processor", "speed to \(workload.base)",
        "peak memory",
        "allocations", "files",
      ])
    for subject in workload.subjects {
      table.rows.append([
        subject.title, Figures.milliseconds(subject.seconds.median), Figures.milliseconds(subject.seconds),
        subject.firstSeconds.map { Figures.milliseconds($0) } ?? "",
        Figures.milliseconds(subject.processorSeconds.median),
        subject.speedToBase.map { Figures.times($0.median) } ?? "",
        subject.peakBytes.map(Figures.megabytes) ?? "",
        subject.allocations.map(Figures.grouped) ?? "", subject.fileBytes.map(Figures.megabytes) ?? "",
      ])
    }
    return table
  }

  /// - Parameter isWhole: Whether unmeasured budgets are included.
  static func budgets(_ budgets: [Budget], isWhole: Bool = false) -> Table {
    var table = Table(header: [
      "budget", "measured as", "promised", "found", "of processor time", "verdict",
    ])
    for budget in budgets where isWhole || budget.found != nil {
      let figure = { (value: Double) in
        budget.unit == "×" ? Figures.times(value) : "\(Int(value.rounded())) \(budget.unit)"
      }
      let reason = budget.reason.map { ", " + $0 } ?? ""
      table.rows.append([
        budget.what, budget.comparison, (budget.isMost ? "≤ " : "≥ ") + figure(budget.promised),
        budget.found.map { figure($0.median) } ?? "",
        budget.foundOfProcessor.map { figure($0.median) } ?? "", budget.verdict.rawValue + reason,
      ])
    }
    return table
  }
}
