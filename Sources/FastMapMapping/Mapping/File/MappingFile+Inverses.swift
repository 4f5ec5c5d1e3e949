extension MappingFileReader {
  /// Reads a relationship with the member `inverseOf`.
  mutating func inverse(
    named name: String, _ node: JSONNode, at place: JSONPath
  ) -> InverseDefinition? {
    let before = faults.count
    for member in ["mapping", "keyPath", "policy", "weak", "lenient"] where node[member] != nil {
      fault(
        place.appending(member),
        "\(quoted(member)) is refused beside \"inverseOf\": an inverse has the mapping of its relationship, and "
          + "is neither read nor stored")
    }
    checkMembers(
      of: node, at: place,
      known: ["inverseOf", "toMany", "mapping", "keyPath", "policy", "weak", "lenient"],
      owner: "an inverse")
    let isToMany = boolean("toMany", of: node, at: place) ?? false
    guard let text = string("inverseOf", of: node, at: place) else { return nil }
    // As in a key path, a dot of a name is written `\.`.
    let names = JSONKeyPath(text).components ?? []
    guard names.count == 2 else {
      fault(
        place.appending("inverseOf"),
        #"expected a mapping and a relationship, as in "Book.author", found \#(quoted(text)); a dot of a name is written \."#
      )
      return nil
    }
    guard faults.count == before else { return nil }
    return InverseDefinition(name, of: names[1], in: .named(names[0]), isToMany: isToMany)
  }
}
