/// Lists of scalars. A store keeps them as JSON, and a mapping knows the type of their elements.
extension FilterBinder {
  /// Whether a field is a list of scalars, which a store keeps as JSON.
  func isList(_ field: Int, of entity: Int) -> Bool {
    attribute(of: field, in: entity)?.rules.writeElements != nil
  }

  /// The kind of a list's elements; nil for other fields, and for lists of types of the caller's own.
  func element(of field: Int, in entity: Int) -> AttributeKind? {
    attribute(of: field, in: entity)?.type.element?.kind
  }

  /// The attribute of a field, by the first mapping that has it. Mappings of one entity agree about its type.
  private func attribute(of field: Int, in entity: Int) -> AttributeDefinition? {
    for planned in plan.mappings where planned.entity == entity {
      if let index = planned.attributeFields.firstIndex(of: field) {
        return planned.mapping.attributes[index]
      }
    }
    return nil
  }

  /// Notes comparisons of a list's elements that can never hold: `@.tags[?@ == 1]` of texts.
  mutating func checkElements(_ step: FilterStep, _ element: AttributeKind, of list: String) {
    for case .filtered(let filter) in step.selectors { checkElements(filter, element, of: list) }
  }

  private mutating func checkElements(_ filter: Filter, _ element: AttributeKind, of list: String) {
    switch filter.tree {
    case .all(let filters), .any(let filters):
      for filter in filters { checkElements(filter, element, of: list) }
    case .not(let inner): checkElements(inner, element, of: list)
    case .compare(let a, let comparison, let b):
      check(a, comparison.rawValue, b, element, of: list, filter.place)
      check(b, comparison.mirrored.rawValue, a, element, of: list, filter.place)
    case .isOne(let term, let literals):
      for literal in literals { check(term, "==", .literal(literal), element, of: list, filter.place) }
    case .exists, .text, .refused, .tooDeep: break
    }
  }

  private mutating func check(
    _ term: FilterTerm, _ comparison: String, _ other: FilterTerm, _ element: AttributeKind, of list: String,
    _ place: FilterPlace
  ) {
    guard case .path(let path) = term, case .literal(let literal, _) = other,
      case .value(let kind) = literal.kind
    else { return }
    if let step = path.steps.first {
      guard step.selectors.count == 1, case .member(let name) = step.selectors[0] else { return }
      return report(
        place, "\(list)[…]\(FilterPath.text(of: name))",
        "\(element.phrase), an element of \(list), has no members")
    }
    let isNumber = [.integer, .number, .decimal].contains(element)
    let fits =
      isNumber
      ? [.integer, .number, .decimal].contains(kind) : kind == (element == .boolean ? .boolean : .string)
    if fits { return }
    report(
      place, "@ \(comparison) \(literal.text)",
      "expected values of one kind, found an element of \(list), \(element.phrase), and \(kind.phrase)")
  }

  /// Whether a path has a step with this number that is the name of a member.
  func isMember(_ index: Int, of path: FilterPath) -> Bool {
    guard index < path.steps.count else { return false }
    return path.steps[index].selectors.contains { if case .member = $0 { true } else { false } }
  }
}
