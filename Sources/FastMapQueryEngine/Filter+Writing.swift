extension Filter {
  /// Makes a filter about the objects of a class or a structure, to be used in several queries.
  ///
  ///     static let adults = Filter(Person.self) { $0.age >= 18 }
  ///
  ///     let query = Person.mapping.where(Person.adults || Filter(Person.self) { $0.name == "Ada" })
  ///
  /// - Parameters:
  ///   - type: The type of the mapping that the filter is for. A superclass has other properties.
  ///   - condition: About an object; called once.
  public init<Object>(
    _ type: Object.Type, _ condition: (FilterObject<Object>) -> some FilterConvertible
  ) {
    self = FilterScope.filter { condition(FilterObject($0)).filter }
  }

  /// Makes a filter that names its fields, for objects of any kind.
  ///
  ///     let adults = Filter { $0["age"] >= 18 }
  ///
  /// - Parameter condition: About an object; called once.
  public init(_ condition: (FilterNode) -> some FilterConvertible) {
    self = FilterScope.filter { condition(FilterNode(path: $0)).filter }
  }
}
