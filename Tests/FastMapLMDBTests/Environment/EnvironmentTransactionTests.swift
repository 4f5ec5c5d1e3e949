import TestSupport
import Testing

@testable import FastMapLMDB

@Suite struct EnvironmentTransactionTests {
  let scratch = Scratch()
  let environment: Environment
  var things: Database { environment.things }

  init() throws { environment = try Environment.open(at: scratch.store, .test) }

  private struct Refusal: Error {}

  @Test func aThrowingWriteChangesNothing() throws {
    #expect(throws: Refusal.self) {
      try environment.write { transaction in
        try transaction.put(things, 1, "one")
        throw Refusal()
      }
    }
    #expect(try environment.read { try $0.text(things, 1) } == nil)
    #expect(openReaders() == 0)
  }

  @Test func aDiscardedWriteReturnsAndChangesNothing() throws {
    let seen = try environment.write { transaction in
      try transaction.put(things, 1, "one")
      transaction.discardChanges()
      return try transaction.text(things, 1)
    }
    #expect(seen == "one")
    #expect(try environment.read { try $0.text(things, 1) } == nil)
  }

  @Test func aWriteThatChangesNothingWritesNothing() throws {
    try environment.write { try $0.put(things, 1, "one") }
    let before = try environment.statistics().lastCommit
    try environment.write { transaction in
      try expect(transaction.text(things, 1), is: "one")
      try expect(withKey(9) { try transaction.delete(things, $0) }, is: false)
      try expect(withKey(1) { try transaction.insert(things, $0, $0) }, is: false)
    }
    #expect(try environment.statistics().lastCommit == before)
  }

  @Test func aWriteInsideAWriteIsRefused() throws {
    try environment.write { transaction in
      #expect(reason { try environment.write { _ in } } == .reentrantWrite)
      try transaction.put(things, 1, "one")
    }
    #expect(try environment.read { try $0.text(things, 1) } == "one")
    try environment.write { try $0.put(things, 2, "two") }
  }

  @Test func aTooLongKeyIsRefusedAndTheWriteGoesOn() throws {
    let key = [UInt8](repeating: 1, count: 512)
    try environment.write { transaction in
      let error = reason { try key.withUnsafeBytes { try transaction.put(things, $0, $0) } }
      #expect(error == .badSize)
      try transaction.put(things, 1, "one")
    }
    #expect(try environment.read { try $0.text(things, 1) } == "one")
    #expect(try environment.statistics().maxKeySize == 511)
  }

  @Test func aSwallowedErrorStillUndoesTheWrite() throws {
    #expect(
      reason {
        try environment.write { transaction in
          try transaction.put(things, 1, "one")
          _ = transaction.view.environment.changeFailure(-30_796)  // as LMDB would say of a damaged page
        }
      } == .damaged(place: "data.mdb", detail: "a page contradicts its parent in the tree"))
    #expect(try environment.read { try $0.text(things, 1) } == nil)
  }

  @Test func insertAndDeleteReturnTheirEffect() throws {
    try environment.write { transaction in
      try withKey(1) { key in
        try expect(transaction.insert(things, key, key), is: true)
        try expect(transaction.insert(things, key, key), is: false)
        try expect(transaction.delete(things, key), is: true)
        try expect(transaction.delete(things, key), is: false)
      }
    }
  }

  // MARK: Cursors

  @Test func aCursorMovesInTheOrderOfTheKeys() throws {
    try environment.write { transaction in
      for key in [5, 1, 9] { try transaction.put(things, key, "v\(key)") }
    }
    try environment.read { transaction in
      try transaction.withCursor(things) { cursor in
        try expect(cursor.next().map { number($0.key) }, is: 1)
        try expect(cursor.next().map { number($0.key) }, is: 5)
        try expect(cursor.last().map { number($0.key) }, is: 9)
        try expect(cursor.next() == nil, is: true)
        try expect(cursor.first().map { number($0.key) }, is: 1)
        try expect(cursor.previous() == nil, is: true)
        try expect(withKey(5) { try cursor.seek($0).map { number($0.key) } }, is: 5)
        try expect(withKey(6) { try cursor.seek($0) == nil }, is: true)
        try expect(withKey(6) { try cursor.seek(atLeast: $0).map { number($0.key) } }, is: 9)
        try expect(withKey(10) { try cursor.seek(atLeast: $0) == nil }, is: true)
        let value = try withKey(1) { try cursor.seek($0).map { String(decoding: $0.value, as: UTF8.self) } }
        #expect(value == "v1")
      }
    }
  }

  @Test func aCursorAppendsAndFallsBack() throws {
    try environment.write { transaction in
      try transaction.withCursor(things) { cursor in
        for key in [1, 2, 3, 2, 10, 7] { try withKey(key) { try cursor.append($0, $0) } }
      }
      try transaction.withCursor(things) { cursor in
        var keys: [Int] = []
        while let entry = try cursor.next() { keys.append(number(entry.key)) }
        #expect(keys == [1, 2, 3, 7, 10])
      }
    }
  }

  @Test func aCursorDeletesARange() throws {
    try environment.write { transaction in
      try transaction.fill(things, 0..<1000, length: 100)
      let cursor = try transaction.unsafeCursor(things)
      var entry = try withKey(200) { try cursor.seek(atLeast: $0) }
      while let current = entry, number(current.key) < 800 {
        try cursor.delete()
        entry = try cursor.next()
      }
    }
    try environment.read { transaction in
      try expect(transaction.statistics(things).entries, is: 400)
      try expect(transaction.text(things, 199) != nil, is: true)
      try expect(transaction.text(things, 200), is: nil)
      try expect(transaction.text(things, 799), is: nil)
      try expect(transaction.text(things, 800) != nil, is: true)
    }
  }

  @Test func severalCursorsLiveAtOnce() throws {
    struct Tables: ~Copyable {
      let first: Cursor
      let second: Cursor
    }
    try environment.write { transaction in
      let tables = Tables(
        first: try transaction.unsafeCursor(environment.databases[0]),
        second: try transaction.unsafeCursor(environment.databases[1]))
      for key in 0..<100 {
        try withKey(key) { key in
          try tables.first.put(key, key)
          try tables.second.append(key, key)
        }
      }
    }
    try environment.read { transaction in
      for database in environment.databases {
        try expect(transaction.statistics(database).entries, is: 100)
      }
    }
  }

  @Test func codeForBothKindsOfTransactionIsWrittenOnce() throws {
    func count(_ transaction: borrowing some TransactionReading & ~Copyable) throws -> Int {
      try transaction.statistics(things).entries
    }
    try environment.write { transaction in
      try transaction.put(things, 1, "one")
      try expect(count(transaction), is: 1)
    }
    #expect(try environment.read { try count($0) } == 1)
    #expect(try environment.read { try count($0.view) } == 1)
  }

  /// The reads that are still in the gate.
  private func openReaders() -> Int { environment.gate.isEmpty ? 0 : 1 }
}
