/// The relationships that lead from an object to others, for `including:` of an ``ObjectContext``.
///
///     try context.object(Book.mapping, key: 5, including: \.author, \.author.books.publisher)
///
/// A path goes through relationships and inverses, to one object or to many. Attributes are no part of it, and the compiler
/// refuses them.
@dynamicMemberLookup
public struct RelationshipPath<Object: AnyObject>: RelationshipSteps {
  let steps: [AnyKeyPath]

  /// The target of a to-one relationship.
  public subscript<Target: AnyObject>(
    dynamicMember property: KeyPath<Object, Target?>
  ) -> RelationshipPath<Target> {
    RelationshipPath<Target>(steps: steps + [property])
  }

  /// The targets of a to-many relationship.
  public subscript<Targets: RelatedObjects>(
    dynamicMember property: KeyPath<Object, Targets>
  ) -> RelationshipPath<Targets.Target> {
    RelationshipPath<Targets.Target>(steps: steps + [property])
  }
}

/// A path of any class.
protocol RelationshipSteps {
  /// The properties, one after the other.
  var steps: [AnyKeyPath] { get }
}

extension PartialKeyPath {
  package func steps<Object: AnyObject>() -> [AnyKeyPath] where Root == RelationshipPath<Object> {
    // The members of a path are paths, and nothing else.
    (RelationshipPath<Object>(steps: [])[keyPath: self] as? any RelationshipSteps)?.steps ?? []
  }
}
