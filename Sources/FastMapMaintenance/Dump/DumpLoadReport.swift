/// The result of loading a dump.
///
///     print(try store.load(dump: "people.dump").objectCount)
public struct DumpLoadReport: Equatable, Sendable {
  /// The number of objects.
  public internal(set) var objectCount = 0
  /// The number of targets of to-many relationships, counted once for each position.
  package internal(set) var targetCount = 0
}
