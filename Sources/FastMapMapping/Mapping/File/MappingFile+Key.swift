extension MappingFileReader {
  /// Reads `"primaryKey": "id"` or `"primaryKey": ["repository", "number"]`.
  package mutating func keyFields(of mapping: JSONNode, at place: JSONPath) -> KeyFields? {
    let isScoped = scope(of: mapping, at: place)
    guard let node = mapping["primaryKey"] else {
      if isScoped {
        fault(place.appending("keyScope"), "a key scope needs a primary key, and the mapping has none")
      }
      return nil
    }
    let here = place.appending("primaryKey")
    guard let elements = node.elements else {
      guard let name = node.string else {
        fault(here, expected: "a string or an array of strings", found: node)
        return nil
      }
      return KeyFields(names: [name], isScoped: isScoped)
    }
    let names = elements.enumerated().compactMap { string($1, at: here.appending(.index($0))) }
    guard names.count == elements.count else { return nil }
    guard (2...KeyFields.mostParts).contains(names.count) else {
      fault(
        here,
        "expected two to four parts of a key, found \(names.count); one attribute is written without brackets"
      )
      return nil
    }
    return KeyFields(names: names, isScoped: isScoped)
  }

  /// Reads `"keyScope": "parent"`.
  private mutating func scope(of mapping: JSONNode, at place: JSONPath) -> Bool {
    choice("keyScope", of: mapping, at: place, noun: "key scope", among: ["parent"]) != nil
  }
}
