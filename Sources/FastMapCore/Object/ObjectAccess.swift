/// How instances of a class are made.
package struct ObjectAccess: Sendable {
  package let type: ObjectIdentifier
  package let typeName: String
  package let make: @Sendable () -> AnyObject
  package let isInstance: @Sendable (AnyObject) -> Bool

  init<Object: AnyObject>(type: Object.Type, make: @escaping @Sendable () -> Object) {
    self.type = ObjectIdentifier(type)
    typeName = "\(type)"
    self.make = { make() }
    isInstance = { $0 is Object }
  }
}

/// How one property that is an attribute is set and read.
package struct AttributeAccess: Sendable {
  /// Sets the property; a missing field must not come here.
  package let set: @Sendable (AnyObject, FieldValue) -> Void
  package let get: @Sendable (AnyObject, inout FieldWriter) -> Void
  /// What the property's type keeps in a store.
  package let kind: AttributeKind
  package let typeName: String
}

/// How one property that is a relationship is set and read.
package struct RelationshipAccess: Sendable {
  /// Sets the targets; nil for null.
  package let set: @Sendable (AnyObject, [AnyObject]?) -> Void
  package let get: @Sendable (AnyObject) -> [AnyObject]
}

/// How one property is set and read.
package enum FieldAccess: Sendable {
  case attribute(AttributeAccess)
  case relationship(RelationshipAccess)
}

/// A collection of objects that a to-many relationship can have.
///
///     final class Album { var songs: [Song] = []; var guests: Set<Artist>? }
///
/// `Array`, `Set` and ``UniqueArray`` conform, and optionals of them, which null makes nil.
public protocol RelatedObjects: SendableMetatype {
  associatedtype Target: AnyObject

  /// Makes the collection of the targets in their order; nil is null.
  init(related: [Target]?)

  /// The targets.
  var related: [AnyObject] { get }
}

extension Array: RelatedObjects where Element: AnyObject {
  public init(related: [Element]?) { self = related ?? [] }
  public var related: [AnyObject] { self }
}

extension Set: RelatedObjects where Element: AnyObject {
  public init(related: [Element]?) { self = Set(related ?? []) }
  public var related: [AnyObject] { Array(self) }
}

extension Optional: RelatedObjects where Wrapped: RelatedObjects {
  public init(related: [Wrapped.Target]?) { self = related.map { Wrapped(related: $0) } }
  public var related: [AnyObject] { self?.related ?? [] }
}

/// Objects in an order, each of them once: told apart by identity, not by equality.
///
///     final class Playlist { var songs: UniqueArray<Song> = [] }
public struct UniqueArray<Element: AnyObject>: RandomAccessCollection, ExpressibleByArrayLiteral {
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

extension UniqueArray: Sendable where Element: Sendable {}

extension UniqueArray: RelatedObjects {
  public init(related: [Element]?) { self.init(related ?? []) }
  public var related: [AnyObject] { elements }
}
