import FastMapSystem
import Synchronization
import TestSupport
import Testing

/// Records the output of the pages' blocks, in place of the standard library's `print`. Their comments repeat it.
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
  let scratch = Scratch()
  try #require(chdir(scratch.path) == 0)
  try withExtendedLifetime(scratch) { try Printed.$current.withValue(Printed()) { try body() } }
}

/// The same for blocks with `await`.
func inEmptyDirectory(awaiting body: () async throws -> Void) async throws {
  let scratch = Scratch()
  try #require(chdir(scratch.path) == 0)
  try await Printed.$current.withValue(Printed()) { try await body() }
  withExtendedLifetime(scratch) {}
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
