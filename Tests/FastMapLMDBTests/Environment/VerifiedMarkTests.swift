import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// A file that a process has verified is not verified again, unless anybody wrote to it.
@Suite struct VerifiedMarkTests {
  let scratch = Scratch()

  private static let item: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("text", .string)
  }

  private func makeStore() throws {
    let items = (0..<500).map { #"{"id": \#($0), "text": "text of \#($0)"}"# }
    try LMDBStore(at: scratch.store).take("[\(items.joined(separator: ","))]", as: Self.item)
  }

  /// Opens the store alone, as a new process does.
  private func write(_ id: Int, _ text: String) throws {
    try LMDBStore(at: scratch.store).take(#"{"id": \#(id), "text": "\#(text)"}"#, as: Self.item)
  }

  private func isMarked(_ path: String, commit: UInt64? = nil) throws -> Bool {
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    return VerifiedMark.isOn(descriptor, commit: commit ?? DataFile(scratch.dataFile).commit)
  }

  private var status: stat {
    get throws { try #require(try FileSystem.status(of: scratch.dataFile)) }
  }

  /// Gives a file the times that it had.
  private func set(_ times: stat, _ path: String) {
    #if canImport(Darwin)
      let both = [times.st_atimespec, times.st_mtimespec]
    #else
      let both = [times.st_atim, times.st_mtim]
    #endif
    #expect(utimensat(AT_FDCWD, path, both, 0) == 0)
  }

  /// Flips a bit of the record of item 400.
  private func damage() throws {
    let text = Array("text of 400".utf8)
    let bytes = try Files.bytes(of: scratch.dataFile)
    // LMDB leaves copies where pages were split.
    for place in bytes.indices.dropLast(text.count) where bytes[place] == text[0] {
      guard bytes[place...].starts(with: text) else { continue }
      FastMapLMDBTests.write([bytes[place] ^ 1], to: scratch.dataFile, at: place)
    }
  }

  @Test func eachCommitIsMarked() throws {
    try makeStore()
    for number in 0..<4 {
      #expect(try isMarked(scratch.dataFile))
      try write(number, "new")
    }
    let commit = DataFile(scratch.dataFile).commit
    #expect(try isMarked(scratch.dataFile))
    try write(3, "new")  // changes nothing
    #expect(try isMarked(scratch.dataFile, commit: commit))
    #expect(try !isMarked(scratch.dataFile, commit: commit + 1))
    try LMDBStore(at: scratch.store).expectSound()
  }

  @Test func aFileThatSomebodyWroteToIsVerified() throws {
    try makeStore()
    try damage()
    #expect(try !isMarked(scratch.dataFile))
    guard case .damaged? = thrown(LMDBError.self, { try write(1, "new") })?.reason else {
      Issue.record("it was written")
      return
    }
    #expect(try !isMarked(scratch.dataFile))
  }

  /// Shows that nothing but the time of the file is trusted. No program but such a test sets that back.
  @Test func aMarkedFileIsNotVerified() throws {
    try makeStore()
    let before = try status
    try damage()
    set(before, scratch.dataFile)
    #expect(try isMarked(scratch.dataFile))
    try write(1, "new")
    #expect(try !LMDBStore(at: scratch.store).check().isSound)
  }

  /// The mark goes with the first write of another program, and with a killed process. The next opener verifies the file.
  @Test func aMarkThatIsGoneComesBack() throws {
    try makeStore()
    let store = try LMDBStore(at: scratch.store, holding: #"{"id": 1, "text": "one"}"#, as: Self.item)
    let byte = try Files.bytes(of: scratch.dataFile)[17]
    FastMapLMDBTests.write([byte], to: scratch.dataFile, at: 17)
    // This process knows only that the file was sound once.
    try store.take(#"{"id": 1, "text": "two"}"#, as: Self.item)
    #expect(try !isMarked(scratch.dataFile))
    withExtendedLifetime(consume store) {}
    try write(1, "three")
    #expect(try isMarked(scratch.dataFile))
  }

  @Test func aCopyOrAnotherSizeHasNoMark() throws {
    try makeStore()
    let before = try status
    let copy = scratch.path + "/copy.mdb"
    FastMapLMDBTests.write(try Files.bytes(of: scratch.dataFile), to: copy)
    set(before, copy)
    #expect(try !isMarked(copy))
    truncate(scratch.dataFile, before.st_size + 4096)
    set(before, scratch.dataFile)
    #expect(try !isMarked(scratch.dataFile))
  }

  @Test func anImportThatFailsKeepsTheMark() throws {
    try makeStore()
    #expect(throws: (any Error).self) { try write(1, "new\u{1}") }
    #expect(try isMarked(scratch.dataFile))
  }
}
