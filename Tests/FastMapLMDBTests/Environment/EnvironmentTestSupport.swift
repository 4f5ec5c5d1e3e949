import FastMapCore
import FastMapSystem
import Synchronization
import TestSupport
import Testing

@testable import FastMapLMDB

extension Scratch {
  /// The store of a test.
  var store: String { path + "/people.db" }
  var dataFile: String { store + "/data.mdb" }

  /// Makes a store, and lets go of it.
  func makeStore(_ changes: (borrowing WriteTransaction, Database) throws -> Void = { _, _ in }) throws {
    let environment = try Environment.open(at: store, .test)
    try environment.write { try changes($0, environment.things) }
  }

  /// The error of the first write; nil if it is accepted.
  func refusalOfAWrite() -> LMDBError? {
    thrown(LMDBError.self) {
      let store = try LMDBStore(at: store)
      try store.environment.write { _ in }
    }
  }
}

extension LMDBStore.Configuration {
  static var test: LMDBStore.Configuration {
    .with { $0.tables = ["things", "others"] }
  }

  static func test(_ change: (inout LMDBStore.Configuration) -> Void) -> LMDBStore.Configuration {
    var options = test
    change(&options)
    return options
  }
}

extension Environment {
  var things: Database { databases[0] }
}

// MARK: Files

func write(_ bytes: [UInt8], to path: String, at offset: Int = 0) {
  let descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
  precondition(descriptor >= 0)
  defer { close(descriptor) }
  precondition(pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count)
}

func write(_ integer: some FixedWidthInteger, to path: String, at offset: Int) {
  write(withUnsafeBytes(of: integer) { Array($0) }, to: path, at: offset)
}

func size(of path: String) -> Int {
  (try? FileSystem.status(of: path)).flatMap { Int($0.st_size) } ?? -1
}

func permissions(of path: String) -> Int {
  (try? FileSystem.status(of: path)).flatMap { Int($0.st_mode) & 0o777 } ?? -1
}

// MARK: Keys and values

/// Lends eight bytes in the order of the integers.
func withKey<R>(_ number: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
  try withUnsafeBytes(of: UInt64(number).bigEndian) { try body($0) }
}

func number(_ key: UnsafeRawBufferPointer) -> Int {
  Int(UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)))
}

extension TransactionReading where Self: ~Copyable {
  func withCursor<R>(_ database: Database, _ body: (borrowing Cursor) throws -> R) throws -> R {
    try body(unsafeCursor(database))
  }

  func text(_ database: Database, _ key: Int) throws -> String? {
    try withKey(key) { try get(database, $0).map { String(decoding: $0, as: UTF8.self) } }
  }
}

extension TransactionWriting where Self: ~Copyable {
  func delete(_ database: Database, _ key: Int) throws {
    try withKey(key) { _ = try delete(database, $0) }
  }

  func put(_ database: Database, _ key: Int, _ text: String) throws {
    var text = text
    try withKey(key) { key in try text.withUTF8 { try put(database, key, UnsafeRawBufferPointer($0)) } }
  }

  /// Puts `count` values of `length` bytes.
  func fill(_ database: Database, _ keys: Range<Int>, length: Int) throws {
    let value = [UInt8](repeating: 0x78, count: length)
    try value.withUnsafeBytes { value in
      for key in keys { try withKey(key) { try put(database, $0, value) } }
    }
  }
}

// MARK: Errors and threads

/// `#expect` cannot look into expressions with values that cannot be copied.
func expect<T: Equatable>(_ found: T, is expected: T, _ location: SourceLocation = #_sourceLocation) {
  #expect(found == expected, sourceLocation: location)
}

func reason(_ body: () throws -> Void) -> LMDBError.Reason? {
  do { try body() } catch { return (error as? LMDBError)?.reason }
  return nil
}

final class Flag: Sendable {
  private let isRaised = Atomic<Bool>(false)
  var value: Bool { isRaised.load(ordering: .acquiring) }
  func raise() { isRaised.store(true, ordering: .releasing) }
  func wait() { while !value { usleep(100) } }
}

/// A value for several threads. Not a `Mutex`: the thread sanitizer does not know it.
final class Shared<Value: Sendable>: @unchecked Sendable {
  private let monitor = Monitor()
  private var stored: Value
  init(_ value: Value) { stored = value }

  var value: Value {
    monitor.lock()
    defer { monitor.unlock() }
    return stored
  }

  func set(_ value: Value) { change { $0 = value } }

  func change(_ body: (inout Value) -> Void) {
    monitor.lock()
    defer { monitor.unlock() }
    body(&stored)
  }
}

final class Counter: Sendable {
  private let count = Atomic<Int>(0)
  var value: Int { count.load(ordering: .relaxed) }
  func increment() { count.add(1, ordering: .relaxed) }
}

/// Runs `body` on `count` new threads at once, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let threads = (0..<count).map { number in Thread { body(number) } }
  for thread in threads { thread.join() }
}

/// A thread of the system: the tests are about threads, and tasks hop.
final class Thread: @unchecked Sendable {
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  private let thread: pthread_t

  init(_ body: @escaping @Sendable () -> Void) {
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let argument = Unmanaged.passRetained(Body(body)).toOpaque()
    let status = pthread_create(
      &thread, nil,
      { argument in
        #if canImport(Darwin)
          Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        #else
          Unmanaged<Body>.fromOpaque(argument!).takeRetainedValue().run()
        #endif
        return nil
      }, argument)
    precondition(status == 0)
    #if canImport(Darwin)
      self.thread = thread!
    #else
      self.thread = thread
    #endif
  }

  func join() { pthread_join(thread, nil) }
}
