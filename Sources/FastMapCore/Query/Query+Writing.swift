extension PlanSource {
  /// A query for all objects.
  ///
  ///     let page = try store.read { try $0.objects(Person.mapping.all.limit(20)) }
  public var all: Query<Self> { Query(self) }

  /// A query for the objects for which a filter is true.
  ///
  ///     let query = try people.where(Filter("@.age >= 18"))
  public func `where`(_ filter: Filter) -> Query<Self> { all.where(filter) }

  /// A query for the first objects.
  ///
  /// - Parameter count: From 0. Less counts as 0.
  public func limit(_ count: Int) -> Query<Self> { all.limit(count) }

  /// A query for the objects that follow the one with a key.
  public func after(_ key: some PrimaryKeyConvertible) -> Query<Self> { all.after(key) }

  /// A query for the objects that follow a position; for all objects if it is nil.
  public func after(_ position: Position?) -> Query<Self> { all.after(position) }

  /// A query that sorts by a field.
  ///
  /// - SeeAlso: `sorted(by:descending:)` of ``Query``
  public func sorted(by name: String, descending: Bool = false) -> Query<Self> {
    all.sorted(by: name, descending: descending)
  }
}

// MARK: Classes

extension ClassMapping {
  /// A query for the objects for which a condition is true.
  ///
  ///     let query = Person.mapping.where { $0.age >= 18 && $0.author.name == "Ada" }
  ///
  /// - Parameter condition: About an object. It is called once, when the query is written.
  public func `where`(_ condition: (FilterObject<Object>) -> some FilterConvertible) -> Query<Self> {
    all.where(condition)
  }

  /// A query that sorts by a property.
  ///
  /// - SeeAlso: `sorted(by:descending:)` of ``Query``
  public func sorted(
    by property: (FilterObject<Object>) -> some SortKey, descending: Bool = false
  ) -> Query<Self> {
    all.sorted(by: property, descending: descending)
  }

  /// A query that sorts by a Boolean property, false before true.
  ///
  /// - SeeAlso: `sorted(by:descending:)` of ``Query``
  public func sorted<Value>(
    by property: (FilterObject<Object>) -> FilterValue<Value>, descending: Bool = false
  ) -> Query<Self> where Value.Unwrapped == Bool {
    all.sorted(by: property, descending: descending)
  }
}

extension Query where Source: ClassMapping {
  /// Narrows the query to objects that also fulfil a condition.
  ///
  /// - Parameter condition: About an object. It is called once, when the query is written.
  public func `where`(_ condition: (FilterObject<Source.Object>) -> some FilterConvertible) -> Query {
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
  ) -> Query {
    let term = property(FilterObject(FilterPath())).sortTerm
    return sorted(by: term.path, isLowercased: term.isLowercased, descending: descending)
  }

  /// Sorts the objects by a Boolean property, false before true.
  ///
  /// - Parameters:
  ///   - property: A key path or a closure.
  ///   - descending: Whether true comes first and no value last.
  public func sorted<Value>(
    by property: (FilterObject<Source.Object>) -> FilterValue<Value>, descending: Bool = false
  ) -> Query where Value.Unwrapped == Bool {
    sorted(by: property(FilterObject(FilterPath())).path, descending: descending)
  }
}

// MARK: Names

extension Mapping where Object == Record {
  /// A query for the objects for which a condition is true.
  ///
  ///     let query = people.where { $0["age"] >= 18 && $0["author", "name"] == "Ada" }
  ///
  /// - Parameter condition: About an object. It is called once, when the query is written.
  public func `where`(_ condition: (FilterNode) -> some FilterConvertible) -> Query<Mapping> {
    all.where(Filter(condition))
  }
}

extension Plan {
  /// A query for the objects for which a condition is true.
  ///
  ///     let query = plan.where { $0["age"] >= 18 && $0["author", "name"] == "Ada" }
  ///
  /// - Parameter condition: About an object. It is called once, when the query is written.
  public func `where`(_ condition: (FilterNode) -> some FilterConvertible) -> Query<Plan> {
    all.where(Filter(condition))
  }
}

extension Query where Source == Mapping<Record> {
  /// Narrows the query to objects that also fulfil a condition.
  ///
  /// - Parameter condition: About an object. It is called once, when the query is written.
  public func `where`(_ condition: (FilterNode) -> some FilterConvertible) -> Query {
    self.where(Filter(condition))
  }

  /// Sorts the objects by a text in lower case, and objects that are equal so far.
  ///
  ///     people.all.sorted { $0["name"].lowercased }
  ///
  /// - Parameters:
  ///   - text: Called once, when the query is written.
  ///   - descending: Whether the greatest comes first and no value last.
  public func sorted(by text: (FilterNode) -> FilterString, descending: Bool = false) -> Query {
    sorted(by: text(FilterNode(path: FilterPath())).path, isLowercased: true, descending: descending)
  }
}

extension Query where Source == Plan {
  /// Narrows the query to objects that also fulfil a condition.
  ///
  /// - Parameter condition: About an object. It is called once, when the query is written.
  public func `where`(_ condition: (FilterNode) -> some FilterConvertible) -> Query {
    self.where(Filter(condition))
  }

  /// Sorts the objects by a text in lower case, and objects that are equal so far.
  ///
  ///     plan.all.sorted { $0["name"].lowercased }
  ///
  /// - Parameters:
  ///   - text: Called once, when the query is written.
  ///   - descending: Whether the greatest comes first and no value last.
  public func sorted(by text: (FilterNode) -> FilterString, descending: Bool = false) -> Query {
    sorted(by: text(FilterNode(path: FilterPath())).path, isLowercased: true, descending: descending)
  }
}

extension Query {
  /// Sorts the objects, and objects that are equal so far by one more field.
  ///
  ///     people.sorted(by: "author.name").sorted(by: "age", descending: true)
  ///
  /// No value comes first, and last if `descending`. A to-one relationship is sorted by the key of its target.
  ///
  /// - Parameters:
  ///   - name: The name of a field, or a path of names with dots. A name with a dot itself stands in an array:
  ///     `sorted(by: ["full.name"])`.
  ///   - descending: Whether the greatest comes first.
  public func sorted(by name: String, descending: Bool = false) -> Query {
    let names = name.split(separator: ".", omittingEmptySubsequences: false)
    return sorted(by: names.map { String($0) }, descending: descending)
  }

  /// Sorts the objects by one more field, whose name may contain dots.
  ///
  ///     people.sorted(by: ["author", "full.name"])
  ///
  /// - Parameters:
  ///   - names: The names of the to-one relationships that lead to a field, then the name of the field.
  ///   - descending: Whether the greatest comes first.
  public func sorted(by names: [String], descending: Bool = false) -> Query {
    sorted(by: FilterPath(names.map { FilterStep(.name($0)) }), descending: descending)
  }
}
