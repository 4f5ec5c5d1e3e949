/// An object of a class in a filter: the object of the query, or the target of a to-one relationship.
///
///     Book.mapping.where { $0.price < 10 && $0.author.name == "Ada" && $0.editor != nil }
///
/// A filter object has the mapped properties of the class, and nothing else. Attributes are ``FilterValue``, to-one
/// relationships are objects again, and to-many relationships are ``FilterObjects``. Arrays and sets of values are
/// ``FilterValues``. An attribute of a missing target is no value.
///
/// The module `FastMapQueries` has the operators.
///
/// An object is compared by its primary key: `$0.author == 5`. A property without a mapping is a fault when the query
/// runs.
@dynamicMemberLookup
public struct FilterObject<Object> {
  // A property of the class may be called `path`.
  package let filterPath: FilterPath

  init(_ path: FilterPath) { filterPath = path }

  /// The value of an attribute.
  public subscript<Value: AttributeValue>(dynamicMember property: KeyPath<Object, Value>) -> FilterValue<
    Value
  > {
    FilterValue(path: filterPath.appending(property))
  }

  /// The target of a to-one relationship.
  public subscript<Target: AnyObject>(
    dynamicMember property: KeyPath<Object, Target?>
  ) -> FilterObject<Target> {
    FilterObject<Target>(filterPath.appending(property))
  }

  /// The targets of a to-many relationship.
  public subscript<Targets: RelatedObjects>(
    dynamicMember property: KeyPath<Object, Targets>
  ) -> FilterObjects<Targets.Target> {
    FilterObjects(path: filterPath.appending(property))
  }

  /// The elements of an array.
  public subscript<Element: AttributeValue>(
    dynamicMember property: KeyPath<Object, [Element]>
  ) -> FilterValues<Element> {
    FilterValues(path: filterPath.appending(property))
  }

  /// The elements of an array.
  public subscript<Element: AttributeValue>(
    dynamicMember property: KeyPath<Object, [Element]?>
  ) -> FilterValues<Element> {
    FilterValues(path: filterPath.appending(property))
  }

  /// The elements of a set.
  public subscript<Element: AttributeValue>(
    dynamicMember property: KeyPath<Object, Set<Element>>
  ) -> FilterValues<Element> {
    FilterValues(path: filterPath.appending(property))
  }

  /// The elements of a set.
  public subscript<Element: AttributeValue>(
    dynamicMember property: KeyPath<Object, Set<Element>?>
  ) -> FilterValues<Element> {
    FilterValues(path: filterPath.appending(property))
  }

  /// The value of bytes.
  public subscript(dynamicMember property: KeyPath<Object, [UInt8]>) -> FilterValue<[UInt8]> {
    FilterValue(path: filterPath.appending(property))
  }

  /// The value of bytes.
  public subscript(dynamicMember property: KeyPath<Object, [UInt8]?>) -> FilterValue<[UInt8]?> {
    FilterValue(path: filterPath.appending(property))
  }
}

extension FilterObject {
  /// Whether the object has one of some keys.
  public func isIn(_ keys: some Sequence<some PrimaryKeyConvertible>) -> Filter {
    Filter(.isOne(.path(filterPath), of: keys.map(\.primaryKey.literal)))
  }
}

extension PrimaryKey {
  package var literal: FilterLiteral {
    switch self {
    case .integer(let value): .integer(value)
    case .string(let value): .string(value)
    }
  }
}

extension FilterPath {
  package func appending(_ selector: FilterSelector) -> FilterPath {
    var path = self
    path.steps.append(FilterStep([selector]))
    return path
  }

  package func appending(_ property: AnyKeyPath) -> FilterPath {
    // A key path of a main-actor class is not `Sendable`, because reading through it is for the main actor. A filter never
    // reads through it: it compares it with the properties of a mapping. A subscript's arguments would be compared, too,
    // but no mapping has a subscript.
    appending(.member(.property(unsafeBitCast(property, to: (AnyKeyPath & Sendable).self))))
  }
}
