internal import CFastMap

/// The fields that occurrences of one object in a batch give different values.
struct Contradictions {
  struct Found {
    let place: ImportUnit.Holder
    let first: Int
    var last: Int
  }

  static let most = 10

  /// The first ones, with the first and the last occurrence.
  private(set) var found: [Found] = []
  private var met: Set<ImportUnit.Holder> = []

  var count: Int { met.count }

  /// - Parameter first: Finds the occurrence that has given the field its value.
  mutating func add(_ place: ImportUnit.Holder, _ index: Int, first: () -> Int) {
    if met.insert(place).inserted {
      if found.count < Self.most { found.append(Found(place: place, first: first(), last: index)) }
    } else if let number = found.firstIndex(where: { $0.place == place }) {
      found[number].last = index
    }
  }
}

extension ImportUnit {
  /// Finds the fields that an occurrence and earlier ones of its object give different values.
  func findContradictions(
    of index: Int, _ row: UnsafeMutablePointer<fastmap_batch_slot>,
    _ earlier: UnsafeMutablePointer<fastmap_batch_slot>, among objects: [Object]
  ) {
    let mapping = mappings + Int(occurrences[index].mapping)
    for field in 0..<Int(mapping.pointee.field_count)
    where fastmap_contradicts(earlier + field, row + field) {
      if isNewer(index, row, than: earlier) { return }
      let object = Int(occurrences[index].object)
      if decisions.touched.contains(object) || objects[object].key.tag == FASTMAP_MISSING { return }
      let links = [earlier[field].link, row[field].link]
      let planned = plan.mappings[Int(occurrences[index].mapping)]
      // Null may be of a field that the mapping does not have.
      if let blank = mapping.pointee.blank,
        blank[field].tag == FASTMAP_NULL || earlier[field].tag == FASTMAP_NULL
      {
        continue
      }
      guard isCompared(field, planned, links, among: objects) else { continue }
      decisions.contradictions.add(Holder(owner: object, field: field), index) {
        (0..<index).last { occurrences[$0].object == occurrences[index].object && hasSet(field, $0) } ?? index
      }
    }
  }

  private func hasSet(_ field: Int, _ index: Int) -> Bool {
    guard let row = occurrences[index].row else { return false }
    let isOut = occurrences[index].flags & UInt32(FASTMAP_SKIPPED | FASTMAP_UNLINKED | FASTMAP_STALE) != 0
    return !isOut && row[field].tag != FASTMAP_MISSING
  }

  /// Whether a field is an attribute, or has one target with a key.
  private func isCompared(
    _ field: Int, _ planned: PlannedMapping, _ links: [fastmap_link], among objects: [Object]
  ) -> Bool {
    guard planned.relationshipFields.contains(field) else { return planned.hasPayloadValue(field) }
    return links.allSatisfy { link in
      link.tag == FASTMAP_NULL
        || link.tag == FASTMAP_OBJECT && objects[Int(link.object)].key.tag != FASTMAP_MISSING
    }
  }
}

extension Importer.State {
  /// Adds the contradictions of a batch.
  mutating func add(_ batch: Contradictions, _ reader: FaultReader) {
    var count = batch.count
    for found in batch.found {
      let object = reader.unit.objects[found.place.owner]
      guard let key = PrimaryKey(slot: object.key) else { continue }
      let entity = reader.plan.schema.entities[object.entity]
      let field = entity.fields[found.place.field].name
      var paths = [found.first, found.last].map(reader.path(ofOccurrence:))
      let known = contradictions.firstIndex { $0.place == [entity.name, field] && $0.key == key }
      if let known { paths[0] = contradictions[known].paths[0] }
      let new = ImportReport.Finding(entity.name, key, field, paths: paths)
      if let known {
        contradictions[known] = new
      } else if contradictions.count < Contradictions.most {
        contradictions.append(new)
      } else {
        continue
      }
      count -= 1
    }
    moreContradictions += count
  }
}
