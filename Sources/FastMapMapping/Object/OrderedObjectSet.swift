/// An ordered collection of unique objects. They are compared by identity, not by equality.
///
///     final class Playlist { var songs: OrderedObjectSet<Song> = [] }
public struct OrderedObjectSet<Element: AnyObject>: RandomAccessCollection, ExpressibleByArrayLiteral {
  private var elements: [Element] = []
  private var members: Set<ObjectIdentifier> = []

  /// Makes a set with the first of each repeat.
  public init(_ elements: some Sequence<Element>) {
    for element in elements { append(element) }
  }

  public init(arrayLiteral elements: Element...) { self.init(elements) }

  public var startIndex: Int { 0 }
  public var endIndex: Int { elements.count }
  public subscript(index: Int) -> Element { elements[index] }

  /// Appends an object, unless it is already a member.
  ///
  /// - Returns: Whether it was appended.
  @discardableResult
  public mutating func append(_ element: Element) -> Bool {
    guard members.insert(ObjectIdentifier(element)).inserted else { return false }
    elements.append(element)
    return true
  }

  /// Whether an object is a member. O(1).
  public func contains(_ element: Element) -> Bool { members.contains(ObjectIdentifier(element)) }

  /// Removes an object. O(*n*).
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
