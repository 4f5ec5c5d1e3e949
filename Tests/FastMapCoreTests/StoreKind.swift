import FastMapCore
import FastMapMemory

/// The stores that the tests of imports run against. A new store is added here and nowhere else.
enum StoreKind: String, CaseIterable, Sendable {
  case memory

  /// Makes an empty store.
  func make() throws -> any Store {
    switch self {
    case .memory: MemoryStore()
    }
  }
}
