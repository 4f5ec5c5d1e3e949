internal import CFastMap

extension ImportUnit {
  /// Copies null for the fields that only other kinds have.
  func addOtherKinds(_ index: Int, to row: UnsafeMutablePointer<fastmap_slot>) {
    let occurrence = occurrences[index]
    guard let values = occurrence.row, let kinds = plan.mappings[Int(occurrence.mapping)].kinds else {
      return
    }
    let union = plan.mappings[kinds.union]
    for field in union.attributeFields where values[field].tag != FASTMAP_MISSING {
      row[field] = values[field].value
    }
    for field in union.relationshipFields where values[field].tag == FASTMAP_NULL {
      // A relationship that the representation has follows on its own.
      let isOther = !plan.mappings[Int(occurrence.mapping)].relationshipFields.contains(field)
      if isOther { row[field] = values[field].value }
    }
  }
}
