import FastMapCore
import FastMapLMDB
import FastMapMemory
import Foundation

/// The stores that the tests of imports run against. A new store is added here and nowhere else.
enum StoreKind: String, CaseIterable, Sendable {
  case memory
  case lmdb

  /// Makes an empty store.
  func make() throws -> any Store {
    switch self {
    case .memory: MemoryStore()
    case .lmdb: try TemporaryLMDBStore()
    }
  }
}

/// A store on disk that goes with its last reference.
private final class TemporaryLMDBStore: Store {
  private let store: LMDBStore
  private let directory: URL

  init() throws {
    directory = FileManager.default.temporaryDirectory.appendingPathComponent("fastmap-\(UUID().uuidString)")
    store = try LMDBStore(at: directory.path)
  }

  deinit { try? FileManager.default.removeItem(at: directory) }

  func read<R>(_ schema: Schema, _ body: (inout LMDBReader) throws -> R) throws -> R {
    try store.read(schema, body)
  }

  func write<R>(_ schema: Schema, _ body: (inout LMDBWriter) throws -> TransactionCompletion<R>) throws -> R {
    try store.write(schema, body)
  }
}
