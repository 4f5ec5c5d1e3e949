extension MappingFileReader {
  /// Reads the member `ignores`: key paths, or true for all members that no field reads.
  mutating func ignores(of node: JSONNode, at place: JSONPath) -> [JSONKeyPath] {
    guard let found = node["ignores"] else { return [] }
    let place = place.appending("ignores")
    if let all = found.boolean { return all ? [.wholeValue] : [] }
    guard let elements = found.elements else {
      fault(place, expected: "true or an array of key paths", found: found)
      return []
    }
    return elements.enumerated().compactMap { index, element in
      string(element, at: place.appending(.index(index))).map { JSONKeyPath($0) }
    }
  }
}
