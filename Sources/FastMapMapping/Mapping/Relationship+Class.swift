// As in Attribute.swift, key path literals are captured by closures that are inlined into the caller's module.

extension ToOne where Object: AnyObject {
  /// Makes a relationship of a class to at most one object.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.car`, of an optional property.
  ///   - mapping: The target's mapping. Asked for when a plan is compiled, and may refer back to this one.
  ///   - keyPath: The place of its value. ``JSONKeyPath/wholeValue`` is the owner's own representation.
  ///   - policy: Decides about the old target when a payload brings a new one.
  ///   - isWeak: Whether it only links to an object that exists, and makes none.
  @inlinable
  @inline(__always)
  public init<Target: AnyObject>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, Target?> & Sendable,
    _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Target>, at keyPath: JSONKeyPath = .ownName,
    policy: RelationshipPolicy = .assign, isWeak: Bool = false, was: String? = nil
  ) {
    self.init(named: name, property, mapping, keyPath, policy, isWeak, was)
  }

  /// Makes a relationship of a class with the name of its property.
  ///
  ///     ToOne(\.car, Car.mapping)
  ///
  /// A plan refuses a property without a name of its own, as for an ``Attribute``.
  ///
  /// - SeeAlso: The relationship with another name, whose parameters it has.
  @inlinable
  @inline(__always)
  public init<Target: AnyObject>(
    _ property: ReferenceWritableKeyPath<Object, Target?> & Sendable,
    _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Target>, at keyPath: JSONKeyPath = .ownName,
    policy: RelationshipPolicy = .assign, isWeak: Bool = false, was: String? = nil
  ) {
    self.init(named: nil, property, mapping, keyPath, policy, isWeak, was)
  }

  @inlinable
  @inline(__always)
  init<Target: AnyObject>(
    named name: String?, _ property: ReferenceWritableKeyPath<Object, Target?> & Sendable,
    _ mapping: @escaping @Sendable () -> Mapping<Target>, _ keyPath: JSONKeyPath,
    _ policy: RelationshipPolicy, _ isWeak: Bool, _ was: String?
  ) {
    let definition = RelationshipDefinition(
      name, .mapping { mapping().definition }, isToMany: false, at: keyPath, policy: policy, isWeak: isWeak,
      was: was, shape: .ordered
    ) { object, step in
      switch step {
      case .get: return unsafeDowncast(object, to: Object.self)[keyPath: property].map { [$0] } ?? []
      case .set(let targets):
        unsafeDowncast(object, to: Object.self)[keyPath: property] = targets?.first as? Target
        return []
      case .property: return [property]
      }
    }
    self.init(definition: definition)
  }
}

extension ToMany where Object: AnyObject {
  /// Makes a relationship of a class to any number of objects.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - property: A key path literal, `\.phones`, of an array, a set, a ``OrderedObjectSet``, or an optional of
  ///     these.
  ///   - mapping: The targets' mapping. Asked for when a plan is compiled, and may refer back to this one.
  ///   - keyPath: The place of its value. ``JSONKeyPath/wholeValue`` is the owner's own representation.
  ///   - policy: Decides about the old targets when a payload brings new ones.
  ///   - isWeak: Whether it only links to objects that exist, and makes none.
  ///   - keyedBy: The name of the targets' primary key, if the targets are the members of an object,
  ///     `{"git": {…}, "maven": {…}}`, and their names are its values.
  @inlinable
  @inline(__always)
  public init<Targets: RelatedObjects & SendableMetatype>(
    _ name: String, _ property: ReferenceWritableKeyPath<Object, Targets> & Sendable,
    _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Targets.Target>,
    at keyPath: JSONKeyPath = .ownName, policy: RelationshipPolicy = .assign, isWeak: Bool = false,
    keyedBy: String? = nil, was: String? = nil
  ) {
    self.init(named: name, property, mapping, keyPath, policy, isWeak, keyedBy, was)
  }

  /// Makes a relationship of a class with the name of its property.
  ///
  ///     ToMany(\.phones, Phone.mapping, policy: .merge)
  ///
  /// A plan refuses a property without a name of its own, as for an ``Attribute``.
  ///
  /// - SeeAlso: The relationship with another name, whose parameters it has.
  @inlinable
  @inline(__always)
  public init<Targets: RelatedObjects & SendableMetatype>(
    _ property: ReferenceWritableKeyPath<Object, Targets> & Sendable,
    _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Targets.Target>,
    at keyPath: JSONKeyPath = .ownName, policy: RelationshipPolicy = .assign, isWeak: Bool = false,
    keyedBy: String? = nil, was: String? = nil
  ) {
    self.init(named: nil, property, mapping, keyPath, policy, isWeak, keyedBy, was)
  }

  @inlinable
  @inline(__always)
  init<Targets: RelatedObjects & SendableMetatype>(
    named name: String?, _ property: ReferenceWritableKeyPath<Object, Targets> & Sendable,
    _ mapping: @escaping @Sendable () -> Mapping<Targets.Target>, _ keyPath: JSONKeyPath,
    _ policy: RelationshipPolicy, _ isWeak: Bool, _ keyedBy: String?, _ was: String?
  ) {
    let definition = RelationshipDefinition(
      name, .mapping { mapping().definition }, isToMany: true, at: keyPath, policy: policy, isWeak: isWeak,
      keyedBy: keyedBy, was: was, shape: Targets.shape
    ) { object, step in
      switch step {
      case .get: return unsafeDowncast(object, to: Object.self)[keyPath: property].related
      case .set(let targets):
        unsafeDowncast(object, to: Object.self)[keyPath: property] = Targets(
          related: targets.map { $0.compactMap { $0 as? Targets.Target } })
        return []
      case .property: return [property]
      }
    }
    self.init(definition: definition)
  }
}
