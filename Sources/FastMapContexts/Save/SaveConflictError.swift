/// The changes of a context conflict with another writer's, or with an import's. Nothing is saved, and the context is
/// as before.
///
///     catch let error as SaveConflictError { try context.save(onConflict: .mine) }
public struct SaveConflictError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The fields that both have changed.
  public let conflicts: [ObjectConflict]
  /// The objects that you have changed or refer to, and that are not stored any more: `Book 1`. No rule saves these
  /// changes. ``ConflictRule/theirs`` and ``ObjectContext/rollBack(_:)`` drop them.
  public let deleted: [String]

  init(conflicts: [ObjectConflict], deleted: [String] = []) {
    self.conflicts = conflicts
    self.deleted = deleted
  }

  public var description: String {
    messageLines(conflicts.count + deleted.count) { number in
      if number < conflicts.count { return conflicts[number].description }
      let object = deleted[number - conflicts.count]
      return "\(object): not stored any more"
    }.joined(separator: "\n")
  }
}

extension SaveConflictError: FastMapError {
  public var code: String { "save-conflict" }
  public var place: String? { conflicts.first.map { "\($0.entity).\($0.field)" } ?? deleted.first }
}
