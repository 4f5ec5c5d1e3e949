import FastMapCore
import FastMapLMDB

/// The store that an import writes to. If the import fails, a store that it created is removed again.
struct ImportTarget {
  let path: String
  let isDryRun: Bool

  /// Lends a store to `body`: the existing one, or a new one. A dry run gets an empty one, or a copy, elsewhere.
  func withStore<R>(_ body: (LMDBStore) throws -> R) throws -> R {
    do {
      if let store = try existingStore() { return try body(store) }
    } catch let error as LMDBError
      where isDryRun && (error.reason == .readOnly || error.reason == .noPermission)
    {
      return try withCopy(body)
    }
    return isDryRun ? try withTemporaryStore(body) : try withNewStore(body)
  }

  private func existingStore() throws -> LMDBStore? {
    var configuration = LMDBStore.Configuration()
    configuration.createsIfMissing = false
    do throws(LMDBError) {
      return try LMDBStore(at: path, configuration: configuration)
    } catch {
      if error.reason == .notFound { return nil }
      throw error
    }
  }

  /// Lends a copy of the newest commit, for a dry run that may not write to the store's files. Even a transaction that is
  /// rolled back needs a lock and room.
  private func withCopy<R>(_ body: (LMDBStore) throws -> R) throws -> R {
    var configuration = LMDBStore.Configuration()
    configuration.isReadOnly = true
    configuration.createsIfMissing = false
    let store = try LMDBStore(at: path, configuration: configuration)
    let place = try System.makeTemporaryDirectory()
    defer { LMDBStore.removeTemporary(at: place) }
    try store.backup(to: place, compacting: true)
    return try body(try LMDBStore(at: place))
  }

  private func withTemporaryStore<R>(_ body: (LMDBStore) throws -> R) throws -> R {
    guard System.exists(Self.parent(of: path)) else {
      throw SystemError(path: path, reason: "the directory above does not exist; make it first")
    }
    let place = try System.makeTemporaryDirectory()
    defer { LMDBStore.removeTemporary(at: place) }
    return try body(try LMDBStore(at: place))
  }

  private func withNewStore<R>(_ body: (LMDBStore) throws -> R) throws -> R {
    let hadDirectory = System.exists(path)
    do { return try body(try LMDBStore(at: path)) } catch {
      // The store is closed by now, and stays if anything was committed, or if others keep it open.
      _ = try? LMDBStore.removeUnused(at: path, keepsDirectory: hadDirectory, tries: 200)
      throw error
    }
  }

  private static func parent(of path: String) -> String {
    let trimmed = path.reversed().drop { $0 == "/" }.drop { $0 != "/" }
    return trimmed.isEmpty ? (path.hasPrefix("/") ? "/" : ".") : String(trimmed.reversed())
  }
}
