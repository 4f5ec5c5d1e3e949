internal import Synchronization

/// The link from a relationship to its mapping.
///
/// Releasing a mapping releases the next one, and so on. A chain of a hundred thousand nested releases would overflow the
/// stack, so the outermost link releases them one after the other.
// @unchecked: nothing is written before deinit.
final class DestinationLink: @unchecked Sendable {
  private var held: RelationshipDefinition.Destination?

  init(_ destination: RelationshipDefinition.Destination) { held = destination }

  var destination: RelationshipDefinition.Destination {
    guard let held else { preconditionFailure("a link leads somewhere until it goes") }
    return held
  }

  deinit {
    switch held {
    case .mapping, .onMain: Self.release(&held)
    case .named, nil: break
    }
  }

  private struct Waiting {
    var isReleasing = false
    var destinations: [RelationshipDefinition.Destination] = []
  }
  private static let waiting = Mutex(Waiting())

  /// No other reference may be left here, or it would be the last one.
  private static func release(_ held: inout RelationshipDefinition.Destination?) {
    let isOutermost = waiting.withLock { waiting in
      if let destination = held { waiting.destinations.append(destination) }
      held = nil
      defer { waiting.isReleasing = true }
      return !waiting.isReleasing
    }
    guard isOutermost else { return }
    while releaseNext() {}
  }

  private static func releaseNext() -> Bool {
    // The lock is given back before the destination goes, which may bring another one here.
    let next: RelationshipDefinition.Destination? = waiting.withLock { waiting in
      let next = waiting.destinations.popLast()
      if next == nil { waiting.isReleasing = false }
      return next
    }
    return next != nil
  }
}
