// Relationships and inverses together. Inverses are numbered after the fields of their entity.

extension Schema.Entity {
  /// The inverse with a number; nil for a field.
  package func inverse(_ number: Int) -> Schema.Inverse? {
    number < fields.count ? nil : inverses[number - fields.count]
  }

  package func inverseNumber(named name: String) -> Int? {
    inverses.firstIndex { $0.name.utf8.elementsEqual(name.utf8) }.map { fields.count + $0 }
  }

  /// The entity of the objects of a relationship or an inverse; nil for an attribute.
  package func target(_ number: Int) -> Int? { inverse(number)?.entity ?? fields[number].kind.target?.entity }
}

extension Schema {
  /// The relationship of an inverse in messages: `Book.author`.
  package func relationship(of inverse: Inverse) -> String {
    "\(entities[inverse.entity].name).\(entities[inverse.entity].fields[inverse.field].name)"
  }
}

extension StoreReader {
  /// The targets of relationships and inverses of each of `owners`, in their order.
  ///
  /// - Parameter links: The numbers of fields and of inverses.
  /// - Returns: For each link, the targets of each owner. A to-one inverse has at most one.
  package mutating func links(
    of owners: [ObjectID], entity: Int, _ links: [Int], in schema: Schema
  ) throws -> [[[ObjectID]]] {
    let found = schema.entities[entity]
    let fields = links.filter { $0 < found.fields.count }
    var stored =
      owners.count == 1 && !prefersSets
      ? try fields.map { [try targets(of: owners[0], entity: entity, field: $0)] }
      : try fields.isEmpty ? [] : checkedTargets(of: owners, entity: entity, fields: fields)
    if fields.count == links.count { return stored }
    stored.reverse()
    return try links.map { link in
      guard let inverse = found.inverse(link) else { return stored.removeLast() }
      return try self.owners(of: owners, by: inverse)
    }
  }

  /// The objects of an inverse of each of `targets`.
  ///
  /// - Parameter firstOnly: Whether only the first one is asked for.
  package mutating func owners(
    of targets: [ObjectID], by inverse: Schema.Inverse, firstOnly: Bool = false
  ) throws -> [[ObjectID]] {
    if inverse.isToMany, !firstOnly {
      return try checkedOwners(of: targets, entity: inverse.entity, field: inverse.field)
    }
    let first = try checkedFirstOwners(of: targets, entity: inverse.entity, field: inverse.field)
    return first.map { $0.map { [$0] } ?? [] }
  }
}
