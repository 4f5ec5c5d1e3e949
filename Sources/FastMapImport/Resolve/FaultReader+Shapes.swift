/// Values that none of the fields at their member takes.
extension FaultReader {
  /// The values that the fields at a member take: `a string or an object`.
  func expectation(at way: ArraySlice<JSONKeyPath.Step>, in planned: PlannedMapping) -> String {
    var nouns: [String] = []
    func add(_ noun: String) { if !nouns.contains(noun) { nouns.append(noun) } }
    let mapping = planned.mapping
    for attribute in mapping.attributes
    where attribute.hasPlace && way.elementsEqual(attribute.keyPath.steps) {
      add(attribute.expectation(for: nil))
    }
    for (index, relationship) in mapping.relationships.enumerated()
    where way.elementsEqual(relationship.keyPath.steps) {
      let target = TargetShapes(of: plan.mappings[planned.destinations[index]].mapping)
      relationship.memberReader(to: target).own.nouns.forEach(add)
    }
    let paths =
      mapping.attributes.filter(\.hasPlace).map(\.keyPath.steps) + mapping.relationships.map(\.keyPath.steps)
    if let inner = paths.first(where: { $0.count > way.count && $0.starts(with: way) }) {
      if case .member = inner[way.count] { add("an object") } else { add("an array") }
    }
    return list(nouns, conjunction: "or")
  }
}

extension JSONShapes {
  fileprivate var nouns: [String] {
    let all: [(JSONShapes, String)] = [
      (.string, "a string"), (.number, "a number"), (.boolean, "a boolean"), (.object, "an object"),
      (.array, "an array"),
    ]
    return all.filter { isSuperset(of: $0.0) }.map(\.1)
  }
}
