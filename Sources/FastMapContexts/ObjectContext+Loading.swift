extension ObjectContext {
  /// Whether a path of relationships was loaded.
  ///
  ///     if try !context.isLoaded(\.books, of: author) { try context.load(\.books, of: author) }
  ///
  /// - Parameters:
  ///   - path: A relationship, or a path of several. Loaded if each step is, for all stored objects on the way.
  ///     The way follows the present targets of the properties.
  ///   - object: An instance of this context.
  /// - Throws: ``ContextError``.
  public func isLoaded<Object: AnyObject>(
    _ path: PartialKeyPath<RelationshipPath<Object>>, of object: Object
  ) throws -> Bool {
    let loader = try open()
    let member = try member(of: object, in: loader)
    return loader.isLoaded(try plan.positions(of: path.steps(), from: member.entity), of: member)
  }

  /// Loads relationships of objects, unless they were loaded before, in as few questions as for one object.
  ///
  ///     try context.load(\.books, \.books.publisher, of: [author])
  ///
  /// A path follows the present targets of properties, also targets that you have set, and the targets that were read.
  ///
  /// Targets that you have set before are kept. They follow the stored targets of a to-many relationship, and replace
  /// the stored target of a to-one.
  ///
  /// - Parameters:
  ///   - paths: The paths of relationships to load.
  ///   - objects: Instances of this context.
  /// - Returns: The objects whose relationships cannot be loaded, because they are not stored any more. They stay as they are.
  /// - Throws: ``ContextError``, ``UnreadableValueError`` for a target, or the store's own error. A relationship with such a target
  ///   is not loaded then, and any other is.
  @discardableResult
  public func load<Object: AnyObject>(
    _ paths: PartialKeyPath<RelationshipPath<Object>>..., of objects: [Object]
  ) throws -> [Object] {
    let loader = try open()
    let members = try objects.map { try member(of: $0, in: loader) }
    guard let entity = members.first?.entity else { return [] }
    let tree = try IncludeTree(paths.map { $0.steps() }, of: entity, in: plan)
    return try store.withReader(plan.schema) { reader in
      try loader.reading { try loader.include(tree, of: members, from: &reader) }.among(members).compactMap {
        $0.instance as? Object
      }
    }
  }

  // MARK: Reading again

  /// Reads objects again, with the relationships that are loaded, in as few questions as one.
  ///
  /// Attributes and relationships that you have changed keep your values.
  ///
  /// - Parameter objects: Instances of this context.
  /// - Returns: The objects that are not stored any more. They stay as they are. An object that has changed its kind is among them,
  ///   and leaves the context.
  /// - Throws: ``ContextError``, ``UnreadableValueError``, or the store's own error. An object that has a value which its property
  ///   cannot hold stays as it is then, and so does a relationship with such a target. Everything else is read.
  @discardableResult
  public func refresh<Object: AnyObject>(_ objects: [Object]) throws -> [Object] {
    let loader = try open()
    let members = try objects.map { try member(of: $0, in: loader) }
    return try refresh(members, loader).compactMap { $0.instance as? Object }
  }

  /// Reads all objects of the context again.
  ///
  /// - Returns: The objects that are not stored any more. They stay as they are.
  /// - Throws: ``ContextError``, or the store's own error.
  @discardableResult
  public func refreshAll() throws -> [AnyObject] {
    let loader = try open()
    return try refresh(loader.graph.all.filter { !$0.isGone }, loader).map(\.instance)
  }

  private func refresh(_ members: [ContextMember], _ loader: ContextLoader) throws -> [ContextMember] {
    try store.withReader(plan.schema) { reader in
      try loader.reading { try loader.refresh(members, from: &reader) }
    }
  }

  func member(of instance: AnyObject, in loader: ContextLoader) throws(ContextError) -> ContextMember {
    if let member = loader.graph.member(of: instance) { return member }
    let graph = loader.graph
    if let new = graph.inserted.member(of: instance) ?? graph.forgotten[ObjectIdentifier(instance)] {
      throw .newInstance(entity: plan.schema.entities[new.entity].name)
    }
    guard let gone = graph.goneMember(of: instance) else {
      throw .unknownInstance(type: "\(type(of: instance))")
    }
    throw .deletedInstance(entity: plan.schema.entities[gone.entity].name, key: graph.key(of: gone))
  }
}

extension [ContextMember] {
  /// The first of each repeat, in order.
  var withoutRepeats: [ContextMember] {
    var met: Set<ObjectIdentifier> = []
    return filter { met.insert(ObjectIdentifier($0)).inserted }
  }

  /// The given objects that are also in this array, once each.
  func among(_ members: [ContextMember]) -> [ContextMember] {
    if isEmpty { return [] }
    let own = Set(map(\.object))
    var met: Set<ObjectIdentity> = []
    return members.filter { own.contains($0.object) && met.insert($0.object).inserted }
  }
}
