internal import CFastMap

/// The identity of a query, which its positions carry.
extension Query {
  /// A number for the mapping, the filter and the order, the same in every process, and whether they were written as text
  /// or in Swift.
  func identity(of entity: Int, in plan: Plan) -> UInt64 {
    let layout = plan.schema.entities[entity]
    var parts = [plan.root.name, layout.name, layout.keyKind?.rawValue ?? ""]
    parts.append(filter?.text { plan.fieldName(of: $0) } ?? "")
    if isOfStubs { parts.append("stubs") }
    var binder = FilterBinder(plan)
    for term in order {
      let path = term.path ?? FilterPath()
      parts.append(path.text { plan.fieldName(of: $0) })
      parts.append((term.isDescending ? "descending" : "ascending") + (term.isLowercased ? ", lower" : ""))
      let bound = binder.bind(path, of: entity, needsOne: true)
      parts.append(bound?.kind.phrase ?? "")
    }
    return Self.hash(parts)
  }

  /// A hash of texts and their ends, the same on every machine.
  private static func hash(_ texts: [String]) -> UInt64 {
    var bytes: [UInt8] = []
    for text in texts { bytes += Array(text.utf8) + [0xFF] }
    let key = fastmap_fingerprint(high: 0, low: 0)
    return bytes.withUnsafeBytes { fastmap_fingerprint_bytes(key, $0.baseAddress, $0.count).low }
  }
}

extension Plan {
  fileprivate func fieldName(of property: AnyKeyPath) -> String? {
    for planned in mappings {
      if let name = planned.mapping.fieldName(of: property) { return name }
    }
    return nil
  }
}
