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
    let words = Pipe()
    if !isHeard { process.standardError = words }
    try process.run()
    let text =
      isHeard ? "" : String(decoding: words.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let status = process.terminationStatus
    try WrongOutcome.check(
      status == 0,
      """
      success of a process with \(options), found the status \(status):
      \(text)
      """)
    return try Results(contentsOf: path)
  }
}
