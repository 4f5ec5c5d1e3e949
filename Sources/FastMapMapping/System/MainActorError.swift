/// An attempt to use instances of a main-actor class off the main actor.
///
///     Person is a main-actor class; its instances can only be used on the main actor
///
/// The compiler prevents most such uses. The rest are detected at run time: a store that keeps such instances, or a
/// serializer of them, is used on another thread. Nothing has been read or changed.
public struct MainActorError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The entity of the class.
  package let entity: String

  public var description: String {
    "\(escaped(entity)) is a main-actor class; its instances can only be used on the main actor"
  }
}

extension MainActorError: FastMapError {
  public var code: String { "main-actor" }
  public var place: String? { entity }
}
