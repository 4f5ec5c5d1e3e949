/// The fields that identify an object: one attribute, or several parts.
///
///     Mapping("Book", primaryKey: "isbn") { … }
///     Mapping("Issue", primaryKey: ["repository", "number"]) {
///       ToOne("repository", repository)
///       Attribute("number", .integer)
///     }
///
/// A part is an attribute of type `integer` or `string`, or a to-one relationship, whose part is the key of its target.
/// Objects sort by the first part, then the next. A ``PrimaryKey`` of several parts is written as an array: `["swift", 7]`.
public struct KeyFields: Sendable, Equatable {
  /// The names of the attributes and relationships, in the order of the key.
  package let names: [String]

  /// Whether the key is unique within one relationship of one owner, and not within the entity.
  package let isScoped: Bool

  /// Makes a key of the fields with these names, or of one.
  package init(_ names: String...) { self.init(names: names) }

  /// Makes a key that is unique within one relationship of one owner.
  ///
  ///     Mapping("Line", primaryKey: .scoped("position")) { … }     // each order has its own line 1
  ///
  /// A scoped object belongs to its owner. The object is written in full, and deleted with its owner, or when its
  /// owner no longer has it. It is neither imported at the root nor referred to by its key. A ``PrimaryKey`` begins
  /// with the key of the owner: `[7, 1]`.
  public static func scoped(_ names: String...) -> KeyFields { KeyFields(names: names, isScoped: true) }

  package init(names: [String], isScoped: Bool = false) {
    self.names = names
    self.isScoped = isScoped
  }

  /// The most parts of a key.
  static let mostParts = 4

  /// The names of its parts, without the owner; none for one attribute that is unique in the entity.
  package var parts: [String] { names.count == 1 && !isScoped ? [] : names }

  /// The name of the attribute that holds the key. If the key has parts, no payload has this attribute.
  package var name: String {
    names.dropFirst().reduce((isScoped ? "@parent+" : "") + (names.first ?? "")) { $0 + "+" + $1 }
  }
}

extension KeyFields: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  public init(stringLiteral name: String) { self.init(names: [name]) }
  public init(arrayLiteral names: String...) { self.init(names: names) }
}

/// A part of a primary key.
package enum KeyPart {
  case attribute(Int)
  /// The key of the target of the relationship with this number.
  case relationship(Int)

  package func isAttribute(_ index: Int) -> Bool {
    if case .attribute(index) = self { true } else { false }
  }
}

extension MappingDefinition {
  /// The parts of its primary key; none if it is one attribute, or if a part is not declared.
  package var keyParts: [KeyPart] {
    let parts: [KeyPart] = (keyFields?.parts ?? []).compactMap { name in
      if let place = attributes.firstIndex(where: { NameIndex.isSame($0.name, name) }) {
        return .attribute(place)
      }
      return relationships.firstIndex { NameIndex.isSame($0.name, name) }.map { .relationship($0) }
    }
    return parts.count == keyFields?.names.count ? parts : []
  }

  /// Whether its objects belong to their owners by the scope of their key.
  package var isScoped: Bool { keyFields?.isScoped ?? false }

  package func keyPath(of part: KeyPart) -> JSONKeyPath {
    switch part {
    case .attribute(let index): attributes[index].keyPath
    case .relationship(let index): relationships[index].keyPath
    }
  }

  /// Whether the name of a member can be its primary key, or a part of it.
  package func isOfKey(_ name: String) -> Bool {
    keyFields?.names.contains { NameIndex.isSame($0, name) } ?? false
  }
}
