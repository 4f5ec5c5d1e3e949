import CSQLite
import CSimdjson
import Foundation
import PlainJansson
import PlainLMDB

/// Where and when figures were taken.
struct Machine: Codable {
  /// ISO 8601, UTC.
  var date: String
  var processor: String
  var cores: Int
  var memoryBytes: UInt64
  var kernel: String
  /// The file system of the stores.
  var fileSystem: String
  /// The number of runnable processes, averaged over the minute before.
  var loadAtStart: Double
  var loadAtEnd: Double

  /// Whether other work was running when the run began.
  var isBusy: Bool { loadAtStart > Double(cores) / 2 }

  /// The machine, without the date.
  var words: String {
    "\(processor), \(cores) cores, \(Figures.gigabytes(memoryBytes)) of memory, \(kernel), "
      + "stores on \(fileSystem)"
  }

  /// - Parameter directory: Where the stores are; nil for beside the program.
  static func current(storesAt directory: String? = nil) -> Machine {
    Machine(
      date: Date().formatted(.iso8601), processor: processor(),
      cores: ProcessInfo.processInfo.activeProcessorCount,
      memoryBytes: ProcessInfo.processInfo.physicalMemory, kernel: kernel(),
      fileSystem: fileSystem(of: directory ?? Folder.parent),
      loadAtStart: load(), loadAtEnd: load())
  }

  static func load() -> Double {
    var loads = [Double](repeating: 0, count: 3)
    return getloadavg(&loads, 3) > 0 ? loads[0] : 0
  }

  private static func processor() -> String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown"
  }

  private static func kernel() -> String {
    var name = utsname()
    guard uname(&name) == 0 else { return "unknown" }
    return withUnsafeBytes(of: name.sysname, text) + " " + withUnsafeBytes(of: name.release, text) + " "
      + withUnsafeBytes(of: name.machine, text)
  }

  private static func text(_ bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  /// The file system of a directory: the last mount whose path is a prefix of its path.
  private static func fileSystem(of directory: String) -> String {
    let text = (try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? ""
    let mounts = text.split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count > 2 }
    let found = mounts.filter { directory.hasPrefix($0[1] == "/" ? "/" : $0[1] + "/") }
      .max { $0[1].count < $1[1].count }
    return found.map { String($0[2]) } ?? "unknown"
  }
}

/// The versions of the compared tools, and of the platform.
struct Versions: Codable {
  /// The commit, with `-dirty` if source files differ from it; nil in older results.
  var fastmap: String?
  /// Nil if unknown, and in older results.
  var distribution: String?
  var swift: String
  var jansson: String
  var lmdb: String
  var sqlite: String
  /// Nil if it was missing.
  var simdjson: String?
  /// The server and libpq; nil if there was none.
  var postgres: String?

  var words: String {
    var words = "FastMap \(fastmap ?? "unknown"), Swift \(swift) with its Foundation, jansson \(jansson), "
    words += "LMDB \(lmdb), SQLite \(sqlite), "
    words += simdjson.map { "simdjson \($0)" } ?? "no simdjson"
    if let postgres { words += ", PostgreSQL \(postgres)" }
    if let distribution { words += ", on \(distribution)" }
    return words
  }

  static func current() -> Versions {
    var major: CInt = 0
    var minor: CInt = 0
    var patch: CInt = 0
    mdb_version(&major, &minor, &patch)
    return Versions(
      fastmap: fastmap(), distribution: distribution(), swift: swift(),
      jansson: String(cString: jansson_version_str()), lmdb: "\(major).\(minor).\(patch)",
      sqlite: String(cString: sqlite3_libversion()),
      simdjson: simdjson_subjects_version().map { String(cString: $0) })
  }

  private static func fastmap() -> String {
    let git = ["git", "-C", URL(fileURLWithPath: Options.package).deletingLastPathComponent().path]
    guard let commit = output(of: git + ["describe", "--always"]) else { return "unknown" }
    let written = ["docs", "Benchmarks/results.json", "Benchmarks/curves.json"].map { ":!" + $0 }
    let isClean = output(of: git + ["diff", "--quiet", "HEAD", "--", "."] + written) != nil
    return commit + (isClean ? "" : "-dirty")
  }

  private static func distribution() -> String? {
    let text = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("PRETTY_NAME=") }
    return line?.dropFirst("PRETTY_NAME=".count).trimmingCharacters(in: CharacterSet(charactersIn: "\"'"))
  }

  /// The compiler in the path, which has just built this program.
  private static func swift() -> String {
    let words = (output(of: ["swift", "--version"]) ?? "").split(whereSeparator: \.isWhitespace)
    guard let place = words.firstIndex(of: "version"), place + 1 < words.count else { return "unknown" }
    return String(words[place + 1])
  }

  /// The output of a command; nil if it is missing or fails.
  private static func output(of command: [String]) -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? text.trimmingCharacters(in: .whitespacesAndNewlines) : nil
  }
}
