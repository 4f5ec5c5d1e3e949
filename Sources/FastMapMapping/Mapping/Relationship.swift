/// A relationship to at most one object: a line of a mapping.
///
///     ToOne(\.car, Car.mapping)              // its name is the property's
///     ToOne("boss", \.boss, Person.mapping, at: "boss_id", isWeak: true)
///     ToOne("owner", person)                  // of a record
///     ToOne("manager", .named("Person"))      // by name, in a set of mappings
///     ToOne("person", \.person, inverseOf: \.car, of: Person.mapping)
///
/// In JSON its value is an object or a key. The mapping of its target is asked for when a plan is compiled, so
/// mappings may refer to each other.
public struct ToOne<Object>: Sendable {
  /// The line without the types of its objects: a relationship, or the inverse of one.
  package let field: MappingField

  /// The same relationship, which also takes `[]`, `""` and `false` as null. An inverse reads no JSON and stays as it is.
  public var lenient: ToOne { ToOne(field: field.lenient) }

  private init(field: MappingField) { self.field = field }

  @usableFromInline
  init(definition: RelationshipDefinition) { field = MappingField(.relationship(definition)) }

  @usableFromInline
  init(inverse: InverseDefinition) { field = MappingField(.inverse(inverse)) }
}

/// A relationship to any number of objects, in an order: a line of a mapping.
///
///     ToMany(\.phones, Phone.mapping, policy: .merge)     // its name is the property's
///     ToMany("phones", \.phones, Phone.mapping, at: "contact.phones")
///     ToMany("tags", tag)                     // of a record
///     ToMany("reports", .named("Person"))     // by name, in a set of mappings
///     ToMany("books", \.books, inverseOf: \.author, of: Book.mapping)
///
/// In JSON its value is an array of objects or of keys. The mapping of its targets is asked for when a plan is
/// compiled, so mappings may refer to each other.
public struct ToMany<Object>: Sendable {
  /// The line without the types of its objects: a relationship, or the inverse of one.
  package let field: MappingField

  /// The same relationship, which also takes `{}` as an empty list. An inverse reads no JSON and stays as it is.
  public var lenient: ToMany { ToMany(field: field.lenient) }

  private init(field: MappingField) { self.field = field }

  @usableFromInline
  init(definition: RelationshipDefinition) { field = MappingField(.relationship(definition)) }

  @usableFromInline
  init(inverse: InverseDefinition) { field = MappingField(.inverse(inverse)) }
}

extension ToOne where Object == Record {
  /// Makes a relationship of a record to at most one object.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - mapping: The target's mapping. Asked for when a plan is compiled.
  ///   - keyPath: The place of its value. ``JSONKeyPath/wholeValue`` is the owner's own representation.
  ///   - policy: Decides about the old target when a payload brings a new one.
  ///   - isWeak: Whether it only links to an object that exists, and makes none.
  ///   - was: Its earlier name, which the first import replaces in the store.
  public init(
    _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Record>,
    at keyPath: JSONKeyPath = .ownName, policy: RelationshipPolicy = .assign, isWeak: Bool = false,
    was: String? = nil
  ) {
    self.init(
      name, .mapping { mapping().definition }, at: keyPath, policy: policy, isWeak: isWeak, was: was)
  }

  /// Makes a relationship of a record to at most one object, whose mapping may be found by name.
  ///
  /// - SeeAlso: The call with a mapping.
  public init(
    _ name: String, _ destination: RelationshipDefinition.Destination, at keyPath: JSONKeyPath = .ownName,
    policy: RelationshipPolicy = .assign, isWeak: Bool = false,
    was: String? = nil
  ) {
    self.init(
      definition: RelationshipDefinition(
        name, destination, isToMany: false, at: keyPath, policy: policy, isWeak: isWeak, was: was))
  }
}

extension ToMany where Object == Record {
  /// Makes a relationship of a record to any number of objects.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - mapping: The targets' mapping. Asked for when a plan is compiled.
  ///   - keyPath: The place of its value. ``JSONKeyPath/wholeValue`` is the owner's own representation.
  ///   - policy: Decides about the old targets when a payload brings new ones.
  ///   - isWeak: Whether it only links to objects that exist, and makes none.
  ///   - keyedBy: The name of the targets' primary key, if the targets are the members of an object,
  ///     `{"git": {…}, "maven": {…}}`, and their names are its values.
  ///   - was: Its earlier name, which the first import replaces in the store.
  public init(
    _ name: String, _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Record>,
    at keyPath: JSONKeyPath = .ownName, policy: RelationshipPolicy = .assign, isWeak: Bool = false,
    keyedBy: String? = nil, was: String? = nil
  ) {
    self.init(
      name, .mapping { mapping().definition }, at: keyPath, policy: policy, isWeak: isWeak,
      keyedBy: keyedBy, was: was)
  }

  /// Makes a relationship of a record to any number of objects, whose mapping may be found by name.
  ///
  /// - SeeAlso: The call with a mapping.
  public init(
    _ name: String, _ destination: RelationshipDefinition.Destination, at keyPath: JSONKeyPath = .ownName,
    policy: RelationshipPolicy = .assign, isWeak: Bool = false, keyedBy: String? = nil, was: String? = nil
  ) {
    var definition = RelationshipDefinition(
      name, destination, isToMany: true, at: keyPath, policy: policy, isWeak: isWeak, was: was)
    definition.keyedBy = keyedBy
    self.init(definition: definition)
  }
}
