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

/// Objects in an order, each of them once: told apart by identity, not by equality.
///
///     final class Playlist { var songs: OrderedObjectSet<Song> = [] }
public struct OrderedObjectSet<Element: AnyObject>: RandomAccessCollection, ExpressibleByArrayLiteral {
  private var elements: [Element] = []
  private var members: Set<ObjectIdentifier> = []

  /// Makes an array of the first of each.
  public init(_ elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  public init(arrayLiteral elements: Element...) { self.init(elements) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(index: Int) -> Element { elements[index] }

  /// Appends an object that is not there yet.
  ///
  /// - Returns: Whether it was appended.
  @discardableResult
  public mutating func append(_ element: Element) -> Bool {
    guard members.insert(ObjectIdentifier(element)).inserted else { return false }
    elements.append(element)
    return true
  }

  /// Whether it has an object. O(1).
  public func contains(_ element: Element) -> Bool { members.contains(ObjectIdentifier(element)) }

  /// Takes an object out. O(*n*).
  public mutating func remove(_ element: Element) {
    guard members.remove(ObjectIdentifier(element)) != nil else { return }
    elements.removeAll { $0 === element }
  }
}

extension OrderedObjectSet: Sendable where Element: Sendable {}

extension OrderedObjectSet: RelatedObjects {
  public init(related: [Element]?) { self.init(related ?? []) }
  public var related: [AnyObject] { elements }
  public static var shape: RelatedObjectsShape { .orderedUnique }
}
