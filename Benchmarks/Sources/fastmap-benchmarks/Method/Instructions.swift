import Foundation

/// The instructions of the timed part of a subject, counted by callgrind. They do not vary with the machine.
struct Instructions: Codable {
  var workload: String
  var name: String
  var title: String
  var objectCount: Int
  var instructions: Int

  /// The number of root objects. Valgrind makes everything fifty times slower.
  private static let roots = 200

  /// Runs this program again under valgrind, once for each subject of the families.
  ///
  /// - Returns: Nothing if valgrind is missing.
  static func count(_ options: Options) throws -> [Instructions] {
    guard let suite = options.suites.first(where: { $0.name == "families" }) else { return [] }
    let program = Folder.parent + "fastmap-benchmarks-stripped"
    // valgrind 3.19 cannot read the debug information of today's compilers.
    guard
      try run("/usr/bin/env", ["objcopy", "--strip-debug", Folder.parent + "fastmap-benchmarks", program])
        != nil
    else { return [] }
    defer { try? FileManager.default.removeItem(atPath: program) }
    let wanted = Set(options.subjects ?? suite.subjects.map(\.name))
    return try suite.subjects.filter { wanted.contains($0.name) }.compactMap { subject in
      Console.progress("instructions: \(subject.name)")
      try Interruption.check()
      let words = try run(
        "/usr/bin/env",
        [
          "valgrind", "--tool=callgrind", "--collect-atstart=no", "--callgrind-out-file=/dev/null", program,
          "run",
          "--workloads", suite.name, "--subjects", subject.name, "--roots", String(roots), "--rounds", "1",
          "--alone",
        ])
      guard let line = words?.split(separator: "\n").first(where: { $0.contains("Collected :") }),
        let number = line.split(separator: " ").last.flatMap({ Int($0) }), number > 0
      else { return nil }
      return Instructions(
        workload: suite.name, name: subject.name, title: subject.title, objectCount: roots * 11,
        instructions: number)
    }
  }

  static func table(_ counted: [Instructions]) -> Table {
    var table = Table(header: ["subject", "instructions", "for an object"])
    for subject in counted {
      table.rows.append([
        subject.title, Figures.grouped(subject.instructions),
        Figures.grouped(subject.instructions / subject.objectCount),
      ])
    }
    return table
  }

  /// - Returns: Its standard error; nil if it failed.
  private static func run(_ path: String, _ arguments: [String]) throws -> String? {
    let process = Process()
    let words = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = words
    try process.run()
    let text = String(decoding: words.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? text : nil
  }
}
