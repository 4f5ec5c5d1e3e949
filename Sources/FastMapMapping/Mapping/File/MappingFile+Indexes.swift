extension MappingFileReader {
  /// Reads `"indexes": [["status", "-created_at"], {"fields": ["email"], "unique": true}]`.
  mutating func indexes(of mapping: JSONNode, at place: JSONPath) -> [Index] {
    guard let node = mapping["indexes"] else { return [] }
    let here = place.appending("indexes")
    guard let elements = node.elements else {
      fault(here, expected: "an array", found: node)
      return []
    }
    var indexes: [Index] = []
    for (number, element) in elements.enumerated() {
      let here = here.appending(.index(number))
      guard element.isObject else {
        if let fields = fields(of: element, at: here, expected: "an array of fields or an object") {
          indexes.append(Index(fields))
        }
        continue
      }
      checkMembers(of: element, at: here, known: ["fields", "unique"], owner: "an index")
      let isUnique = boolean("unique", of: element, at: here) ?? false
      let place = here.appending("fields")
      guard let node = element["fields"] else {
        fault(place, expected: "an array of fields", found: nil)
        continue
      }
      if let fields = fields(of: node, at: place, expected: "an array of fields") {
        indexes.append(Index(fields, isUnique: isUnique))
      }
    }
    return indexes
  }

  private mutating func fields(of node: JSONNode, at place: JSONPath, expected: String) -> [IndexField]? {
    guard let elements = node.elements else {
      fault(place, expected: expected, found: node)
      return nil
    }
    var fields: [IndexField] = []
    for (number, element) in elements.enumerated() {
      if let text = string(element, at: place.appending(.index(number))) { fields.append(IndexField(text)) }
    }
    return fields.count == elements.count ? fields : nil
  }
}
