/// What a position belongs to.
extension Query {
  /// A number for the mapping, the filter and the order. It is the same in every process, and whether they were written as text
  /// or in Swift.
  func identity(in plan: Plan) -> UInt64 {
    let root = plan.root
    var parts = [root.name, root.entity, root.key?.type.kind.rawValue ?? ""]
    parts.append(filter?.text { plan.fieldName(of: $0) } ?? "")
    var binder = FilterBinder(plan)
    for term in order {
      parts.append(term.path.text { plan.fieldName(of: $0) })
      parts.append((term.isDescending ? "descending" : "ascending") + (term.isLowercased ? ", lower" : ""))
      let bound = binder.bind(term.path, of: plan.mappings[0].entity, needsOne: true)
      parts.append(bound?.kind.phrase ?? "")
    }
    return Self.hash(parts)
  }

  /// FNV-1a, of texts and the ends of them.
  private static func hash(_ texts: [String]) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for text in texts {
      for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
      hash = (hash ^ 0xFF) &* 0x100_0000_01B3
    }
    return hash
  }
}

extension Plan {
  /// The name of the field that a property is mapped to.
  fileprivate func fieldName(of property: AnyKeyPath) -> String? {
    for planned in mappings {
      let mapping = planned.mapping
      if let field = mapping.attributes.first(where: { $0.access?.property == property }) {
        return field.name
      }
      if let field = mapping.relationships.first(where: { $0.access?.property == property }) {
        return field.name
      }
      if let field = mapping.inverses.first(where: { $0.access?.property == property }) { return field.name }
    }
    return nil
  }
}
