package import FastMapCore
package import FastMapLMDB
import FastMapMemory

/// The stores that a promise of every store is tested on. A new store is added here and nowhere else.
package enum StoreKind: String, CaseIterable, Sendable {
  case memory
  case lmdb
  /// As a store on another machine: it wants sets, its numbers are in no order, it keeps fingerprints, and its answers
  /// come late.
  case remote

  /// Makes an empty store.
  package func make() throws -> any Store {
    switch self {
    case .memory: MemoryStore()
    case .lmdb: try ScratchStore()
    case .remote:
      LateStore(FingerprintStore(ScatteredStore(try ScratchStore(), prefersSets: true)))
    }
  }
}

/// An LMDB store that goes with its last reference.
package final class ScratchStore: Store {
  package let store: LMDBStore
  private let scratch = Scratch()

  package init(_ configuration: LMDBStore.Configuration = LMDBStore.Configuration()) throws {
    store = try LMDBStore(at: scratch.path + "/store", configuration: configuration)
  }

  /// A store that has to make room for nearly everything, and so runs writes again.
  package static func growing() throws -> ScratchStore {
    var configuration = LMDBStore.Configuration()
    configuration.mapSize = 1 << 16
    return try ScratchStore(configuration)
  }

  package func read<R>(_ schema: Schema, _ body: (inout LMDBReader) throws -> R) throws -> R {
    try store.read(schema, body)
  }

  package func write<R>(
    _ schema: Schema, _ body: (inout LMDBWriter) throws -> TransactionCompletion<R>
  ) throws -> R {
    try store.write(schema, body)
  }
}
