import Foundation

@main
enum FastMapBenchmarks {
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      switch options.command {
      case .help: print(Options.help)
      case .list: list()
      case .run, nil: try run(options)
      case .report: try report(options)
      case .curves: try curves(options)
      }
    } catch {
      Console.note("fastmap-benchmarks: \(error)")
      exit(1)
    }
  }

  private static func list() {
    for suite in Suite.all {
      print("\(suite.name): \(suite.title)")
      for subject in suite.subjects { print("  \(subject.name): \(subject.title)") }
    }
  }

  private static func run(_ options: Options) throws {
    Interruption.watch()
    var results = Results(machine: .current(), versions: .current(), note: options.note, workloads: [])
    for suite in options.suites {
      let folder = try Folder()
      let workload = try Rounds(suite: suite, options: options, folder: folder).run()
      print(Report.text(of: workload))
      results.workloads.append(workload)
    }
    results.machine.loadAtEnd = Machine.load()
    guard let path = options.resultsToWrite else { return }
    try results.write(to: path)
    Console.note("written: \(path)")
    if options.reportsAfterRun { try report(options) }
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
    var document = Report.markdown(of: results)
    if FileManager.default.fileExists(atPath: options.curves) {
      document += "\n" + (try Curves(contentsOf: options.curves)).markdown
    }
    try Data(document.utf8).write(to: URL(fileURLWithPath: options.document))
    Console.note("written: \(options.document)")
  }
}
