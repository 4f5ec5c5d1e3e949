/// The part of docs/BENCHMARKS.md about PostgreSQL, from `postgres.json`.
extension Report {
  private static let postgresWords = """
    The server runs on the same machine and has the same settings for all. *By hand* is a script of `psql`: `COPY` of text that is ready into \
    temporary tables, then `INSERT … SELECT … ON CONFLICT DO UPDATE` where rows differ. Its tables have typed columns and primary \
    keys, and the children of a parent are rows with a position. Processor time, memory and allocations are those of the benchmark's own \
    process, without `psql` and the server. All tables are empty or vacuumed before a round, and a checkpoint is over.
    """

  /// - Parameter results: The results on the same page. The machine is shown if it differs.
  static func postgres(_ postgres: Results, beside results: Results) -> [String] {
    let machine = postgres.machine
    var opening =
      "From `Benchmarks/postgres.json`: \(machine.date), load average \(Figures.load(machine.loadAtStart)) at the start, "
      + "\(Figures.load(machine.loadAtEnd)) at the end. `make bench-postgres` renews it."
    if machine.words != results.machine.words { opening += " Machine: \(machine.words)." }
    opening += " Versions: \(postgres.versions.words)."
    if let settings = postgres.settings { opening += " Settings of the server: \(settings)." }
    var parts = ["## PostgreSQL", opening, postgresWords]
    if let note = postgres.note { parts.append("**\(note)**") }
    for workload in postgres.workloads {
      parts += ["`\(workload.name)`: \(summary(workload)).", figures(workload).markdown]
    }
    if !postgres.budgets.isEmpty { parts.append(budgets(postgres.budgets, isWhole: true).markdown) }
    return parts
  }
}
