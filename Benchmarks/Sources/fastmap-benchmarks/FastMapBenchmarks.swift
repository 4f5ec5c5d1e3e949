import Foundation

@main
enum FastMapBenchmarks {
  static func main() {
    do {
      #if Postgres
        if CommandLine.arguments.dropFirst().first == PostgresWriters.command {
          return try PostgresWriters.main(Array(CommandLine.arguments.dropFirst(2)))
        }
      #endif
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      switch options.command {
      case .help: print(Options.help)
      case .list: list()
      case .run where options.isSmoke, nil where options.isSmoke, .postgres where options.isSmoke:
        try smoke(options)
      case .run, nil: try run(options)
      case .report: try report(options)
      case .curves: try curves(options)
      case .postgres: try postgres(options)
      }
    } catch {
      Console.endProgress()
      Console.note("fastmap-benchmarks: \(error)")
      exit(1)
    }
  }

  private static func list() {
    for suite in Suite.all + Suite.postgres {
      print("\(suite.name): \(suite.title)" + (suite.size.short == nil ? " (with --full)" : ""))
      for subject in suite.subjects { print("  \(subject.name): \(subject.title)") }
    }
  }

  private static func run(_ options: Options) throws {
    Interruption.watch()
    let start = ContinuousClock.now
    print("\(options.rounds) rounds each\(options.isFull ? "" : "; a full run has 15 (--full)").")
    if !PaddedText.isKnown { print("simdjson was missing when this was built: its subjects are left out.") }
    var results = Results(
      machine: .current(), versions: .current(), isFull: options.isFull, note: options.note)
    try measure(options.suites, options, &results)
    if options.growth > 0 {
      let words = ["--workloads", "none", "--growth", String(options.growth)]
      results.growth =
        try options.isAlone
        ? Growth.measure(upTo: options.growth) : OwnProcess.run(words, isHeard: true).growth
      if let growth = results.growth { print("\n" + growth.table.text + "\n\n" + growth.keyTable.text) }
    }
    if options.isFull {
      results.instructions = try Instructions.count(options)
      Console.endProgress()
      print("\n" + Instructions.table(results.instructions).text)
    }
    results.budgets = Budget.all(of: results) + Budget.postgres(of: results)
    if !results.budgets.isEmpty { print("\n" + Report.budgets(results.budgets).text) }
    results.machine.loadAtEnd = Machine.load()
    print("\nThis took \(start.duration(to: .now).components.seconds) s.")
    if !options.isAlone { results.dropSamples() }
    guard let path = options.resultsToWrite else { return }
    try results.write(to: path)
    Console.note("written: \(path)")
    if options.reportsAfterRun { try report(options) }
  }

  /// Runs every workload and subject, small, and the growth and the curves. Nothing is measured, printed as a figure or written.
  private static func smoke(_ options: Options) throws {
    Interruption.watch()
    for suite in options.suites {
      guard let size = options.size(of: suite) else { continue }
      do {
        _ = try Rounds(suite: suite, size: size, options: options, folder: Folder()).run()
        print("\(suite.name): its \(suite.subjects.count) subjects agree")
      } catch let skipped as Skipped {
        Console.endProgress()
        print("\(suite.name): skipped: \(skipped)")
      }
    }
    guard !options.isPartOnly, options.command != .postgres else { return }
    _ = try Growth.measure(upTo: 10_000)
    try Curves.smoke()
    print("growth and curves: every step succeeds")
  }

  private static func measure(_ suites: [Suite], _ options: Options, _ results: inout Results) throws {
    for suite in suites {
      guard let size = options.size(of: suite) else { continue }
      do {
        let workload = try Rounds(suite: suite, size: size, options: options, folder: Folder()).run()
        print("\n" + Report.text(of: workload))
        results.workloads.append(workload)
      } catch let skipped as Skipped {
        Console.endProgress()
        print("\n\(suite.name): skipped: \(skipped)")
        results.skipped.append(Results.Left(name: suite.name, reason: skipped.description))
      }
    }
  }

  /// The workloads of PostgreSQL: all of them, or a part, which is not kept.
  private static func postgres(_ options: Options) throws {
    #if Postgres
      Interruption.watch()
      let server = try PostgresServer()
      var results = Results(
        machine: .current(storesAt: try server.directory()), versions: .current(),
        isFull: options.isFull, note: options.note)
      results.versions.postgres = try server.version()
      results.settings = try server.settings()
      try measure(options.suites.filter { $0.name.hasPrefix("postgres-") }, options, &results)
      results.budgets = Budget.postgres(of: results)
      print("\n" + Report.budgets(results.budgets).text)
      results.machine.loadAtEnd = Machine.load()
      results.dropSamples()
      guard !options.isPartOnly else { return }
      try results.write(to: options.postgres)
      Console.note("written: \(options.postgres)")
      try report(options)
    #else
      throw WrongOutcome(
        description: "this was built without the trait Postgres; scripts/bench --postgres builds with it")
    #endif
  }

  private static func curves(_ options: Options) throws {
    Interruption.watch()
    let curves = try Curves.measure(isLarge: options.isLarge)
    print(curves.text)
    try curves.write(to: options.curves)
    Console.note("written: \(options.curves)")
    try report(options)
  }

  private static func report(_ options: Options) throws {
    let results = try Results(contentsOf: options.results)
    let curves =
      FileManager.default.fileExists(atPath: options.curves) ? try Curves(contentsOf: options.curves) : nil
    let postgres =
      FileManager.default.fileExists(atPath: options.postgres)
      ? try Results(contentsOf: options.postgres) : nil
    let document = Report.markdown(of: results, curves, postgres)
    let pictures = Pictures.all(of: results) + (curves.map { [$0.picture] } ?? [])
    try Data(document.utf8).write(to: URL(fileURLWithPath: options.document))
    Console.note("written: \(options.document)")
    let images = URL(fileURLWithPath: options.document).deletingLastPathComponent().appending(path: "images")
    try FileManager.default.createDirectory(at: images, withIntermediateDirectories: true)
    for picture in pictures {
      try Data(picture.svg.utf8).write(to: images.appending(path: picture.file))
      Console.note("written: \(images.appending(path: picture.file).path)")
    }
  }
}
