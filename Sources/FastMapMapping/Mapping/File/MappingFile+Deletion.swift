extension MappingFileReader {
  /// Reads the member `deletedBy`: the name of an attribute, or an object with the name and the values.
  mutating func deletedBy(of node: JSONNode, at place: JSONPath) -> DeletedBy? {
    guard let found = node["deletedBy"] else { return nil }
    let place = place.appending("deletedBy")
    guard found.isObject else { return string(found, at: place).map { DeletedBy($0) } }
    checkMembers(of: found, at: place, known: ["attribute", "values"], owner: "\"deletedBy\"")
    guard let name = found["attribute"] else {
      fault(place.appending("attribute"), expected: "the name of an attribute", found: nil)
      return nil
    }
    guard let attribute = string(name, at: place.appending("attribute")) else { return nil }
    guard let values = found["values"] else { return DeletedBy(attribute) }
    guard let elements = values.elements else {
      fault(place.appending("values"), expected: "an array of values", found: values)
      return nil
    }
    var wanted: [Value] = []
    for (index, element) in elements.enumerated() {
      if let boolean = element.boolean {
        wanted.append(.boolean(boolean))
      } else if let integer = element.integer {
        wanted.append(.integer(integer))
      } else if let text = element.string {
        wanted.append(.string(text))
      } else {
        fault(
          place.appending("values").appending(.index(index)), expected: "a boolean, an integer or a string",
          found: element)
      }
    }
    return DeletedBy(attribute, wanted)
  }
}
