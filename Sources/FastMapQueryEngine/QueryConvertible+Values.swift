// Filters and orders of Codable types, written with their properties. A key path names its property, and so the field.

extension QueryConvertible {
  /// Narrows the query to objects that also fulfil a condition on the properties of a `Decodable` type.
  ///
  ///     let query = User.mapping.where { $0.age >= 18 && $0.address.city == "London" }
  ///
  /// - Parameter condition: About an object; called once, when the query is written.
  @_disfavoredOverload
  public func `where`<Value: Decodable>(
    _ condition: (FilterObject<Value>) -> some FilterConvertible
  ) -> Query<Source> where Source == Mapping<Value> {
    self.where(Filter(Value.self, condition))
  }

  /// Sorts the objects, and objects that are equal so far by one more property of a `Decodable` type.
  ///
  ///     User.mapping.sorted(by: \.address.city).sorted(by: \.age, descending: true)
  ///
  /// - Parameters:
  ///   - property: A key path, through structures and optionals of them too. Or a closure.
  ///   - descending: Whether the greatest comes first.
  @_disfavoredOverload
  public func sorted<Value: Decodable>(
    by property: (FilterObject<Value>) -> some SortKey, descending: Bool = false
  ) -> Query<Source> where Source == Mapping<Value> {
    query.sorted(by: property(FilterObject(FilterPath())).sortTerm.term, descending: descending)
  }
}

extension FilterObject where Object: Decodable {
  /// The structure in a property.
  @_disfavoredOverload
  public subscript<Target: Decodable>(dynamicMember property: KeyPath<Object, Target>) -> FilterObject<Target>
  {
    FilterObject<Target>(filterPath.appending(property))
  }

  /// The structure in an optional property.
  @_disfavoredOverload
  public subscript<Target: Decodable>(
    dynamicMember property: KeyPath<Object, Target?>
  ) -> FilterObject<Target> {
    FilterObject<Target>(filterPath.appending(property))
  }

  /// The structures in a list.
  @_disfavoredOverload
  public subscript<Target: Decodable>(
    dynamicMember property: KeyPath<Object, [Target]>
  ) -> FilterObjects<Target> {
    FilterObjects(path: filterPath.appending(property))
  }
}
