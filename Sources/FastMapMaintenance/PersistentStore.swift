/// A store that outlasts the process: it can be checked and measured.
///
///     func report(on store: any PersistentStore) throws {
///       for problem in try store.check().problems { print(problem) }
///       print(try store.statistics().entities)
///     }
///
/// `LMDBStore` and `PostgresStore` are such stores. Each throws its own errors, which it documents.
///
/// Thread rule: any thread.
public protocol PersistentStore: Store {
  /// Verifies every invariant in one snapshot, and changes nothing.
  ///
  /// - Returns: The problems and the counts. Damage is reported, not thrown.
  /// - Throws: An error of the store that cannot be read at all.
  /// - Complexity: O(*n* log *n*) in the objects and links.
  func check() throws -> CheckReport

  /// Counts the stored objects and their sizes, in one snapshot.
  ///
  /// - Complexity: O(*n*) in the objects.
  func statistics() throws -> StoreStatistics
}
