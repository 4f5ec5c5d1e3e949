/// JSON as instances of a class, without a store.
extension ClassMapping {
  /// Reads JSON into instances: one for each key in the payload, with their relationships set.
  ///
  ///     let people = try Person.mapping.objects(from: #"[{"id": 1, "boss": {"id": 7}}, {"id": 7, "name": "Ada"}]"#)
  ///     print(people.count)                       // 2
  ///     print(people[0].boss === people[1])       // true
  ///
  /// The payload is all there is:
  ///
  /// - A weak relationship finds an object anywhere in the payload.
  /// - Inverses have the objects of the payload, ascending by key.
  /// - A custom policy sees the instances that a property has by then: see ``RelationshipChange/instance(_:)``. Its `store` is
  ///   empty, and ``RelationshipChange/delete(_:)`` unlinks a target. `replace` acts as `assign`.
  /// - Unique indexes are not checked. The options that are about transactions, `commitInterval`, `isDryRun` and `retries`, do
  ///   nothing.
  ///
  /// - Parameters:
  ///   - json: The text or document, borrowed for the call.
  ///   - transforms: The transforms for property types. With some, the mapping is compiled for each call.
  ///   - options: How it is read; by default, the first fault ends it.
  /// - Returns: The root objects. The result holds all instances: keep it as long as `weak` properties have to stay set.
  /// - Throws: ``JSONSyntaxError``, ``MappingError``, ``MappingDefinitionError``, ``SystemError``, errors of a delegate or a
  ///   policy, and `CancellationError`.
  /// - Complexity: O(*n*) in the payload, and O(*m* log *m*) in the owners of inverses. Memory for one batch of the payload
  ///   besides the instances; with weak relationships, for all of it.
  public func objects(
    from json: some JSONSource & ~Escapable, transforms: Transforms = Transforms(),
    options: ImportOptions = ImportOptions()
  ) throws -> MappedObjects<Object> {
    defer { options.progress?.end() }
    let plan = try plan(transforms: transforms)
    return try json.withInput { input in
      let instances = try InstanceImport(plan, input, options)
      try instances.run()
      return MappedObjects(instances)
    }
  }

  /// Reads one JSON object into a new instance.
  ///
  ///     let ada = try Person.mapping.object(from: #"{"id": 7, "name": "Ada"}"#)
  ///
  /// The caller holds the instance alone. If classes refer to each other by `weak` properties, use
  /// `objects(from:transforms:options:)`, whose result holds all instances.
  ///
  /// - Returns: The instance; nil if the object was left out.
  /// - Throws: As `objects(from:transforms:options:)`, and ``MappingError`` for an array.
  public func object(
    from json: some JSONSource & ~Escapable, transforms: Transforms = Transforms(),
    options: ImportOptions = ImportOptions()
  ) throws -> Object? {
    defer { options.progress?.end() }
    let plan = try plan(transforms: transforms)
    return try json.withInput { input in
      let instances = try InstanceImport(plan, input, options, isOne: true)
      try instances.run()
      return MappedObjects<Object>(instances).first
    }
  }

  /// Reads one JSON object into an existing instance.
  ///
  ///     let ada = Person()
  ///     ada.name = "Ada"
  ///     try Person.mapping.fill(ada, from: #"{"id": 7, "boss": {"id": 1}}"#)
  ///     print(ada.id, ada.name ?? "?")            // 7 Ada
  ///
  /// Properties keep their values if the payload lacks their members, and are not set again if they have the value.
  /// Null clears an optional property and leaves any other alone.
  ///
  /// For instances that the filled one refers to, directly or through others, also by inverses:
  ///
  /// - An instance with a key of the payload is updated in place, and stays the same. So is a to-one target without a
  ///   key.
  /// - An element without a key stays the same instance if an element of the payload equals it, each once, in order. All
  ///   other elements of the payload are new instances.
  /// - Policies have the property's targets as the old ones.
  ///
  /// A key is set if it differs from a new instance's. The filled instance takes the key of the payload if its own is
  /// not set.
  ///
  /// If the payload has a fault, nothing is changed. If a delegate or a policy throws, the mapped properties of existing
  /// instances get their old values again; an optional list that was empty is nil then.
  ///
  /// - Parameters:
  ///   - object: The instance.
  ///   - json: The text or document, borrowed for the call.
  ///   - transforms: The transforms for property types.
  ///   - options: How it is read. A dry run checks the payload and the key, and sets nothing.
  /// - Returns: The instance, unless it was left out, and the errors. The result holds the new instances.
  /// - Throws: As `object(from:transforms:options:)`, and ``MappingError`` if the key of the instance is set and differs from
  ///   the payload's.
  /// - Complexity: As `objects(from:transforms:options:)`, and O(*n*) in the instances that can be reached.
  @discardableResult
  public func fill(
    _ object: Object, from json: some JSONSource & ~Escapable, transforms: Transforms = Transforms(),
    options: ImportOptions = ImportOptions()
  ) throws -> MappedObjects<Object> {
    defer { options.progress?.end() }
    let plan = try plan(transforms: transforms)
    return try json.withInput { input in
      let instances = try InstanceImport(plan, input, options, isOne: true, filling: object)
      try instances.run()
      return MappedObjects(instances)
    }
  }
}
