extension AnyKeyPath {
  /// The name of the property that a key path leads to: `"name"` of `\Person.name`.
  ///
  /// Nil for a path of several properties, for a computed property, and in a build without reflection metadata.
  package var propertyName: String? {
    let root = "\\\(Self.rootType)."
    let text = "\(self)"
    guard text.hasPrefix(root) else { return nil }
    let name = text.dropFirst(root.count)
    let isName = name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    return isName && !name.isEmpty ? String(name) : nil
  }
}
