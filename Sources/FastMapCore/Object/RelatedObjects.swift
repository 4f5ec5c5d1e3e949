/// A collection of objects that a to-many relationship can have.
///
///     final class Album { var songs: [Song] = []; var guests: Set<Artist>? }
///
/// `Array`, `Set` and ``OrderedObjectSet`` conform, and optionals of them, which null makes nil.
public protocol RelatedObjects {
  associatedtype Target: AnyObject

  /// Makes the collection of the targets in their order; nil is null.
  init(related: [Target]?)

  /// The targets.
  var related: [AnyObject] { get }

  /// What it keeps of an order and of repeats.
  static var shape: RelatedObjectsShape { get }
}

/// What a collection of objects keeps of their order and of repeats.
///
///     Set<Song>.shape     // .set
public enum RelatedObjectsShape: Sendable {
  /// Their order and repeats, as an array does.
  case ordered
  /// Their order, and the first of each.
  case orderedUnique
  /// The first of each, in no order.
  case set
}

extension Array: RelatedObjects where Element: AnyObject {
  public init(related: [Element]?) { self = related ?? [] }
  public var related: [AnyObject] { self }
  public static var shape: RelatedObjectsShape { .ordered }
}

extension Set: RelatedObjects where Element: AnyObject {
  public init(related: [Element]?) { self = Set(related ?? []) }
  public var related: [AnyObject] { Array(self) }
  public static var shape: RelatedObjectsShape { .set }
}

extension Optional: RelatedObjects where Wrapped: RelatedObjects {
  public init(related: [Wrapped.Target]?) { self = related.map { Wrapped(related: $0) } }
  public var related: [AnyObject] { self?.related ?? [] }
  public static var shape: RelatedObjectsShape { Wrapped.shape }
}
