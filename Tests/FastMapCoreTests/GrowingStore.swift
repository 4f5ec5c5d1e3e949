import FastMapLMDB
import Foundation

/// Lends a store on disk that has to make room for nearly everything, and so runs writes again.
func withGrowingStore(_ body: (LMDBStore) throws -> Void) throws {
  let directory = FileManager.default.temporaryDirectory.appendingPathComponent(
    "fastmap-\(UUID().uuidString)")
  defer { try? FileManager.default.removeItem(at: directory) }
  var configuration = LMDBStore.Configuration()
  configuration.mapSize = 1 << 16
  try body(LMDBStore(at: directory.path, configuration: configuration))
}
