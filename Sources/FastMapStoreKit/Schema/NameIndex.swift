/// A name that is compared by its bytes. Swift treats some names as equal that JSON and stores distinguish.
package struct ByteName: Hashable, Sendable {
  package let text: String

  @inlinable
  package init(_ text: String) { self.text = text }

  @inlinable
  package static func == (a: ByteName, b: ByteName) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  @inlinable
  package func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// Finds names in a list. A few are compared one by one, many are hashed.
package struct NameIndex: Sendable {
  private let names: [String]
  private let places: [ByteName: Int]

  /// So many names are compared one by one.
  package static let few = 16

  /// - Parameter names: If a name occurs twice, its first index is found.
  package init(_ names: [String]) {
    self.names = names
    places =
      names.count <= Self.few
      ? [:]
      : Dictionary(zip(names.map { ByteName($0) }, names.indices), uniquingKeysWith: { first, _ in first })
  }

  package subscript(name: String) -> Int? {
    places.isEmpty ? names.firstIndex { Self.isSame($0, name) } : places[ByteName(name)]
  }

  /// Whether two names have the same bytes.
  @inlinable
  package static func isSame(_ a: String, _ b: String) -> Bool {
    // Most pairs are decided by the first comparison, which is one of words.
    a == b && a.utf8.elementsEqual(b.utf8)
  }
}
