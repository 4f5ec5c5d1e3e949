import FastMapSystem
import Synchronization
import Testing

/// What the blocks of the pages print, in place of the standard library's `print`: they say in comments what comes out.
func print(_ items: Any..., separator: String = " ", terminator: String = "\n") {
  Printed.current?.append(items.map { "\($0)" }.joined(separator: separator))
}

final class Printed: Sendable {
  @TaskLocal fileprivate static var current: Printed?

  private let storage = Mutex<[String]>([])

  fileprivate func append(_ line: String) { storage.withLock { $0.append(line) } }

  /// The lines since it was last asked.
  static func takeLines() -> [String] {
    guard let current else { return [] }
    return current.storage.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }
}

/// Gives each test of a suite lines of its own.
struct PrintingTrait: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    // A suite has a scope too, in which nothing is printed.
    if testCase == nil { return try await function() }
    try await Printed.$current.withValue(Printed()) { try await function() }
  }
}

extension Trait where Self == PrintingTrait {
  static var printing: PrintingTrait { PrintingTrait() }
}

/// Runs blocks that name files in an empty directory of their own. The working directory is the process's, so this is
/// for exit tests only, which have a process each.
func inEmptyDirectory(_ body: () throws -> Void) throws {
  try enteringEmptyDirectory { path in
    defer { removeDirectory(path) }
    try Printed.$current.withValue(Printed()) { try body() }
  }
}

/// The same for blocks with `await`.
func inEmptyDirectory(awaiting body: () async throws -> Void) async throws {
  let path = try enteringEmptyDirectory { $0 }
  defer { removeDirectory(path) }
  try await Printed.$current.withValue(Printed()) { try await body() }
}

private func enteringEmptyDirectory<R>(_ body: ([CChar]) throws -> R) throws -> R {
  var path = Array("/tmp/fastmap-documentation-XXXXXX".utf8CString)
  let isMade = path.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) != nil }
  try #require(isMade)
  try #require(chdir(path) == 0)
  return try body(path)
}

/// Directories within it are stores, which have files only.
private func removeDirectory(_ path: [CChar]) {
  for name in names(in: ".") {
    for inner in names(in: name) { remove(name + "/" + inner) }
    remove(name)
  }
  _ = chdir("/")
  rmdir(path)
}

private func names(in directory: String) -> [String] {
  guard let stream = opendir(directory) else { return [] }
  defer { closedir(stream) }
  var names: [String] = []
  while let entry = readdir(stream) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names
}

/// Writes a file in the working directory.
func write(_ text: String, to path: String) throws {
  let file = try #require(fopen(path, "w"))
  defer { fclose(file) }
  let bytes = Array(text.utf8)
  try #require(fwrite(bytes, 1, bytes.count, file) == bytes.count)
}

/// Reads a file.
func contents(of path: String) throws -> String {
  let file = try #require(fopen(path, "r"))
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 1 << 20)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes[..<count], as: UTF8.self)
}
