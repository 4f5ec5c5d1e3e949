// Instances of the caller's own classes, which are in no store. The serializer reads them through an
// `InstanceReader`, so order, cycles, depth and options work as for stored objects.
//
// Two instances are always two objects here, even if their keys are equal.
extension Serializer {
  /// Makes a serializer for a mapping whose relationships do not refer to mappings by name.
  ///
  ///     let text = try Serializer(Person.mapping).json(of: lucas)     // {"id":314,"name":"Lucas"}
  ///
  /// - Parameters:
  ///   - mapping: A mapping of records or of a class: a ``Mapping``, or a ``MainActorMapping`` on the main actor.
  ///   - options: How objects are written.
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  public init(
    _ mapping: some PlanSource, options: SerializerOptions = SerializerOptions()
  ) throws(MappingDefinitionError) {
    self.init(try mapping.plan(), options: options)
  }

  /// The number of a root object, which is of the kind of the first mapping.
  private func number(of object: AnyObject, in reader: inout InstanceReader) throws(UnwritableValue)
    -> ObjectID
  {
    if plan.mappings[0].kind != nil, let objects = plan.root.objects, !objects.isInstance(object) {
      throw UnwritableValue(
        reason: "expected an instance of \(objects.typeName), found one of \(type(of: object))")
    }
    return reader.number(of: object)
  }

  /// Writes an instance as a complete document, at the mapping's root path if it has one. `output` is unchanged after an error.
  package func writeDocument<Object: AnyObject>(_ object: Object, to output: inout JSONWriter) throws {
    var reader = try InstanceReader(plan)
    try withRun(&output, cycles: .repeatAsKey) { run, output in
      try writeUnderRoot(&output) { output in
        if plan.keyedRoot != nil { beginCollection(of: &run, &output) }
        _ = try run.write(number(of: object, in: &reader), &reader, &output)
        if plan.keyedRoot != nil { endCollection(&output) }
      }
    }
  }

  /// Writes an array of instances as a complete document, at the mapping's root path if it has one.
  ///
  /// - Parameters:
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, in order.
  ///   - output: Receives the document.
  package func writeDocument<Object: AnyObject>(
    _ objects: some Sequence<Object>, to output: inout JSONWriter
  ) throws {
    var reader = try InstanceReader(plan)
    try withRun(&output, cycles: .repeatAsKey) { run, output in
      try writeUnderRoot(&output) { output in
        beginCollection(of: &run, &output)
        for object in objects { _ = try run.write(number(of: object, in: &reader), &reader, &output) }
        endCollection(&output)
      }
    }
  }

  /// Returns the JSON document of an instance.
  ///
  ///     let text = try serializer.json(of: lucas, isPretty: true)
  ///
  /// - Parameters:
  ///   - object: An instance of the class of the plan's first mapping, or of a subclass.
  ///   - isPretty: Whether each member is on its own line, indented by two spaces per level.
  /// - Throws: ``MappingError`` for an instance of another class, and for a value that cannot be written as JSON.
  ///   ``MainActorError`` for a main-actor class off the main actor.
  public func json<Object: AnyObject>(of object: Object, isPretty: Bool = false) throws -> String {
    var output = JSONWriter(isPretty: isPretty)
    try writeDocument(object, to: &output)
    return output.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// Returns the JSON document of an array of instances.
  ///
  ///     let text = try serializer.json(of: [lucas, ada])              // [{"id":314},{"id":7}]
  ///
  /// - Parameters:
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, in order.
  ///   - isPretty: Whether each member and element is on its own line, indented by two spaces per level.
  /// - Throws: ``MappingError`` for an instance of another class, and for a value that cannot be written as JSON.
  ///   ``MainActorError`` for a main-actor class off the main actor.
  public func json<Object: AnyObject>(of objects: some Sequence<Object>, isPretty: Bool = false) throws
    -> String
  {
    var output = JSONWriter(isPretty: isPretty)
    try writeDocument(objects, to: &output)
    return output.withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
