internal import Synchronization

/// Decides about an object with a stored value that its property cannot hold.
///
///     let unreadable = UnreadableObjects()
///     let items = try store.read { try $0.objects(Item.mapping, unreadable: .skip(unreadable)) }
///     print(items.count, "items read,", unreadable.count, "left out")
public enum UnreadableRule: Sendable {
  /// The read throws an ``UnreadableValueError``.
  case fail
  /// The read leaves the object out, and notes it. Copies lack it in their relationships, too. A limit counts it.
  ///
  /// In an ``ObjectContext`` this is about the objects that the call asks for. A target of a relationship that is loaded with
  /// them throws an error, because the next save would take it out of the relationship.
  case skip(UnreadableObjects)
}

/// The objects that reads have left out because a property cannot hold a stored value.
///
///     for error in unreadable.errors { print(error) }
///     // Item 1.count: expected a value of Int8, found 300 in the store
///
/// Several reads may note objects in one.
///
/// - Note: Thread rule: any thread may use it.
public final class UnreadableObjects: Sendable {
  private struct State {
    package var count = 0
    var errors: [UnreadableValueError] = []
  }

  /// The errors that are kept.
  private static let most = 100

  private let state = Mutex(State())

  /// Makes a list without objects.
  public init() {}

  /// The number of objects that were left out. A read counts each once.
  public var count: Int { state.withLock { $0.count } }

  /// The errors of the first 100, one for each object: the first value that its property cannot hold.
  public var errors: [UnreadableValueError] { state.withLock { $0.errors } }

  /// - Parameter error: Made only if it is kept.
  package func record(_ error: () -> UnreadableValueError) {
    let isKept = state.withLock { state in
      state.count += 1
      return state.errors.count < Self.most
    }
    if !isKept { return }
    let error = error()
    state.withLock { state in
      if state.errors.count < Self.most { state.errors.append(error) }
    }
  }
}
