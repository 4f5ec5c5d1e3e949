/// A collection type for a to-many relationship.
///
///     final class Album { var songs: [Song] = []; var guests: Set<Artist>? }
///
/// `Array`, `Set` and ``OrderedObjectSet`` conform, and so do optionals of them, which null makes nil.
public protocol RelatedObjects {
  associatedtype Target: AnyObject

  /// Makes the collection from the targets, in order. Nil means null.
  init(related: [Target]?)

  /// The targets.
  var related: [AnyObject] { get }

  /// Whether it keeps order and repeats.
  static var shape: RelatedObjectsShape { get }
}

/// Whether a collection of objects keeps order and repeats.
///
///     Set<Song>.shape     // .set
public enum RelatedObjectsShape: Sendable {
  /// Keeps order and repeats, like an array.
  case ordered
  /// Keeps order, and the first of each repeat.
  case orderedUnique
  /// Keeps neither order nor repeats.
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
