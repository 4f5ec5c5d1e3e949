// Filters and orders of classes, written with their properties.

extension Query {
  /// The checked query, if it is of the plan's first entity.
  ///
  /// - Parameter trait: The trait of that entity, for the message about another one.
  /// - Throws: ``FilterError``, also for another entity.
  package func boundToRoot(in plan: Plan, _ trait: String) throws(FilterError) -> BoundQuery {
    let bound = try bound(to: plan)
    guard bound.entity == plan.mappings[0].entity else {
      let found = plan.schema.entities[bound.entity].name
      throw FilterError(
        .init(
          .unknown,
          "expected a query of \(escaped(plan.root.entity)), \(trait), found one of \(escaped(found))"
        ))
    }
    return bound
  }
}

extension Query where Source: ClassMapping {
  /// The checked query, if its objects are instances of the mapping's class.
  package func boundToClass(in plan: Plan) throws(FilterError) -> BoundQuery {
    try boundToRoot(in: plan, "whose objects are instances")
  }
}

extension QueryConvertible where Source: ClassMapping {
  /// Narrows the query to objects that also fulfil a condition.
  ///
  ///     let query = Person.mapping.where { $0.age >= 18 && $0.author.name == "Ada" }
  ///
  /// - Parameter condition: About an object; called once, when the query is written.
  public func `where`(
    _ condition: (FilterObject<Source.Object>) -> some FilterConvertible
  ) -> Query<Source> {
    self.where(Filter(Source.Object.self, condition))
  }

  /// Sorts the objects, and objects that are equal so far by one more property.
  ///
  ///     Person.mapping.sorted(by: \.author.name).sorted(by: \.age, descending: true)
  ///
  /// No value comes first, and last if `descending`. A to-one relationship is sorted by the key of its target.
  ///
  /// - Parameters:
  ///   - property: A key path, through to-one relationships too: `\.name`, `\.author.name`. Or a closure:
  ///     `{ $0.author.name }`.
  ///   - descending: Whether the greatest comes first.
  public func sorted(
    by property: (FilterObject<Source.Object>) -> some SortKey, descending: Bool = false
  ) -> Query<Source> {
    query.sorted(by: property(FilterObject(FilterPath())).sortTerm.term, descending: descending)
  }

  /// Sorts the objects by a Boolean property, false before true.
  ///
  /// - Parameters:
  ///   - property: A key path or a closure.
  ///   - descending: Whether true comes first and no value last.
  public func sorted<Value>(
    by property: (FilterObject<Source.Object>) -> FilterValue<Value>, descending: Bool = false
  ) -> Query<Source> where Value.Unwrapped == Bool {
    query.sorted(by: property(FilterObject(FilterPath())).term, descending: descending)
  }
}
