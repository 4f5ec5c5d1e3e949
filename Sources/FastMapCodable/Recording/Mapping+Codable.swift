extension Mapping where Object: Decodable & Identifiable {
  /// Makes the mapping of a `Codable` type, whose key is its stored property `id`.
  ///
  ///     struct User: Codable, Identifiable {
  ///       var id: Int
  ///       var name: String
  ///       var address: Address?        // belongs to its user
  ///       var friends: [User]          // an entity of its own, because it is Identifiable
  ///       static let mapping = Mapping(User.self)
  ///     }
  ///
  /// The fields are the members that `init(from:)` asks for: it is called once, and receives values without meaning. A nested type
  /// that is `Identifiable` is an entity with its own key, and any other one belongs to its owner. A type whose members cannot be
  /// known, such as an enum with payloads, is JSON, and so is a dictionary.
  ///
  /// - Parameters:
  ///   - type: The type: a structure or a class.
  ///   - name: The name of its entity, which a generic type needs. By default the name of the type, such as `Order.Item`.
  ///   - rootPath: The place of the objects in a payload.
  ///   - newerBy: The name of an attribute with an order: see ``Mapping``.
  ///   - deletedBy: The attribute whose value marks an object as deleted.
  ///   - was: The earlier name of its entity, which the first import replaces in the store.
  ///   - fields: Lines for parts that the type does not have: policies, inverses, indexes, defaults, and other places in payloads. A
  ///     line replaces the field of its name.
  public init(
    _ type: Object.Type, named name: String? = nil, rootPath: JSONKeyPath = .wholeValue,
    newerBy: String? = nil,
    deletedBy: DeletedBy? = nil, was: String? = nil,
    @MappingBuilder<Record> fields: () -> [MappingField] = { [] }
  ) {
    let options = MappingOptions(
      name: name, key: .identifiable, rootPath: rootPath, newerBy: newerBy, deletedBy: deletedBy, was: was,
      fields: fields(), isRoot: true)
    self.init(definition: Recording().root(type, options))
  }
}

extension Mapping where Object: Decodable {
  /// Makes the mapping of a `Codable` type, with another key than `id`.
  ///
  ///     static let mapping = Mapping(Country.self, key: \.code)
  ///
  /// - Parameter key: A key path literal of a stored property, an integer or a string. Nil for none: each import makes new objects
  ///   then, or they belong to their owner.
  /// - SeeAlso: The call without a key, which has all other parameters.
  public init(
    _ type: Object.Type, key: PartialKeyPath<Object>?, named name: String? = nil,
    rootPath: JSONKeyPath = .wholeValue, newerBy: String? = nil, deletedBy: DeletedBy? = nil,
    was: String? = nil,
    @MappingBuilder<Record> fields: () -> [MappingField] = { [] }
  ) {
    let options = MappingOptions(
      name: name, key: key.map { .property($0) } ?? .none, rootPath: rootPath, newerBy: newerBy,
      deletedBy: deletedBy, was: was, fields: fields(), isRoot: true)
    self.init(definition: Recording().root(type, options))
  }
}
