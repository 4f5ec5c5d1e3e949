extension BoundFilter.Step {
  /// A step of a relationship or an inverse. Inverses are numbered after the fields.
  ///
  /// - Parameter selectors: Nil for a step to one.
  init(_ link: Int, of entity: Schema.Entity, _ selectors: [BoundFilter.Selector]? = nil) {
    let inverse = link - entity.fields.count
    if inverse < 0 {
      self = selectors.map { .toMany(field: link, $0) } ?? .toOne(field: link)
    } else {
      self = selectors.map { .inverseToMany(inverse, $0) } ?? .inverseToOne(inverse)
    }
  }

  /// The number of the relationship or, counted after the entity's fields, of the inverse.
  func link(of entity: Schema.Entity) -> Int {
    switch self {
    case .toOne(let field), .toMany(let field, _): field
    case .inverseToOne(let inverse), .inverseToMany(let inverse, _): entity.fields.count + inverse
    }
  }
}

extension Filter {
  /// Checks the filter against a plan's first mapping, and replaces names by numbers.
  ///
  ///     let filter = try Filter("@.age >= 18").bound(to: Person.mapping.plan())
  ///
  /// The filter may name every field that a mapping of the entity has in the plan.
  ///
  /// - Parameters:
  ///   - plan: Defines the entities and fields.
  ///   - entity: The number of the entity that the filter is about; by default, the entity of the plan's first mapping.
  /// - Returns: The filter with the numbers of the plan's schema.
  /// - Throws: ``FilterError`` with every fault: unknown names, and comparisons that can never hold.
  /// - Complexity: O(*n* · *m*) in the terms of the filter and the fields of an entity.
  package func bound(to plan: Plan, entity: Int? = nil) throws(FilterError) -> BoundFilter {
    let entity = entity ?? plan.mappings[0].entity
    var binder = FilterBinder(plan)
    let condition = binder.condition(self, of: entity)
    try binder.check()
    return BoundFilter(entity: entity, condition: condition)
  }
}
