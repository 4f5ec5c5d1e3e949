import Foundation

/// Runs this program in a new process, for measurements that depend on the history of a process.
enum OwnProcess {
  /// - Parameter isHeard: Whether its progress is shown.
  /// - Returns: The results of a run with these options.
  static func run(_ options: [String], isHeard: Bool = false) throws -> Results {
    let folder = try Folder()
    let path = try folder.newPath("results")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Folder.parent + "fastmap-benchmarks")
    process.arguments = ["run"] + options + ["--alone", "--results", path]
    process.standardOutput = FileHandle.nullDevice
    if !isHeard { process.standardError = FileHandle.nullDevice }
    try process.run()
    process.waitUntilExit()
    try WrongOutcome.check(process.terminationStatus == 0, "success of a process with \(options)")
    return try Results(contentsOf: path)
  }
}
