import FastMapCore
import FastMapLMDB
import FastMapStoreTesting
import TestSupport
import Testing

/// A change that fails midway is never stored, even if the body of the write catches its error.
@Suite struct HalfChangeTests {
  let scratch = Scratch()

  private static let tag = Mapping("Tag", primaryKey: "name") {
    Attribute("name", .string)
    Attribute("note", .string)
  }

  /// Applies a good change and one whose key is too long, and catches the error.
  private func halve(_ store: LMDBStore, isRolledBack: Bool = false) throws -> Bool {
    let schema = try Plan(Self.tag).schema
    return try store.write(schema) { writer in
      let numbers = try KeyBatch.lend([]) { keys in
        try writer.reserve([NumberRequest(entity: 0, keys: keys, count: 2)])[0]
      }
      let long = String(repeating: "x", count: 600)
      let changes = [
        TestChange(of: numbers[0], isNew: true, values: ["name": .string("a")]),
        TestChange(of: numbers[1], isNew: true, values: ["name": .string(long)]),
      ]
      var isCaught = false
      try ChangeBatch.lend(changes, in: schema) { batch in
        do { try writer.apply(&batch) } catch is StoreLimitError { isCaught = true }
      }
      return isRolledBack ? .rollBack(isCaught) : .commit(isCaught)
    }
  }

  @Test(arguments: [false, true]) func aBatchThatFailsMidwayIsNotCommitted(_ sharesCommits: Bool) throws {
    let configuration = LMDBStore.Configuration.with { $0.sharesCommits = sharesCommits }
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    try store.take(#"{"name":"z","note":"old"}"#, as: Self.tag)
    let error = thrown(StoreLimitError.self) { _ = try halve(store) }
    #expect(error?.description == "expected a key of at most 508 bytes, found one of 600 bytes")
    #expect(try store.count(Self.tag) == 1)
    try store.expectSound()
    // The next write is not affected.
    try store.take(#"{"name":"b"}"#, as: Self.tag)
    #expect(try store.count(Self.tag) == 2)
  }

  @Test(arguments: [false, true]) func aBatchThatFailsMidwayCanBeRolledBack(_ sharesCommits: Bool) throws {
    let configuration = LMDBStore.Configuration.with { $0.sharesCommits = sharesCommits }
    let store = try LMDBStore(at: scratch.store, configuration: configuration)
    try store.take(#"{"name":"z"}"#, as: Self.tag)
    #expect(try halve(store, isRolledBack: true))
    #expect(try store.count(Self.tag) == 1)
    try store.expectSound()
  }
}
