package import FastMapMapping

extension ImportReport {
  /// Something in a payload that its mappings do not take as it is: a member that no field reads, or a contradiction.
  ///
  ///     for found in report.unread { print(found.member, "in", found.objects, "objects, first", found.paths[0]) }
  ///     // Order.discount in 40 objects, first $[0].discount
  ///     for found in report.contradictions { print(found.member, found.key ?? 0, found.paths) }
  ///     // Person.name 7 [$[0], $[5].friend]
  public struct Finding: Equatable, Sendable {
    /// The mapping and the key path of an unread member: `Order.discount`, and `Order.meta.etag` beside a key path through `meta`.
    /// Of a contradiction, the entity and the name of the field.
    public let member: String
    /// The number of objects that have it.
    public let objects: Int
    /// The primary key of the object of a contradiction.
    public let key: PrimaryKey?
    /// The path of the member in the first object; of a contradiction, the paths of the first and of the last occurrence.
    public let paths: [JSONPath]
    /// The entity and the field of a contradiction.
    package var place: [String] = []

    init(unread member: String, objects: Int, path: JSONPath) {
      (self.member, self.objects, key, paths) = (member, objects, nil, [path])
    }

    /// A field that two occurrences of an object give different values.
    package init(_ entity: String, _ key: PrimaryKey, _ field: String, paths: [JSONPath]) {
      member = "\(entity).\(field)"
      (objects, place, self.key, self.paths) = (1, [entity, field], key, paths)
    }
  }

  private static let mostUnread = 100

  /// Adds the members that some counters have counted.
  package mutating func add(_ counters: [UnreadCounter]) {
    let (members, others) = UnreadCounter.counts(counters)
    unread = members.prefix(Self.mostUnread).map {
      Finding(unread: $0.member, objects: $0.objects, path: $0.path)
    }
    moreUnread = members.count - unread.count + others
  }
}
