// Instances of the caller's own classes, which no store knows. The serializer meets them through an `InstanceReader`, so
// whatever holds for stored objects (order, cycles, depth, options) holds for these.
//
// Two instances are two objects here, whatever their keys: nothing but the caller says that they are one.
extension Serializer {
  /// Makes a serializer for a mapping that needs no other by name.
  ///
  ///     let text = try Serializer(Person.mapping).json(of: lucas)     // {"id":314,"name":"Lucas"}
  ///
  /// - Parameters:
  ///   - mapping: Of records or of instances of a class: a ``Mapping``, or a ``MainMapping`` on the main actor.
  ///   - options: How objects are written.
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  public init(
    _ mapping: some PlanSource, options: SerializerOptions = SerializerOptions()
  ) throws(MappingDefinitionError) {
    self.init(try mapping.plan(), options: options)
  }

  /// Writes an instance and all that it refers to as the next value.
  ///
  /// Its properties are read on the calling thread during the call; nothing of it is kept afterwards. Writing ends for
  /// every graph of instances. A relationship that makes a new instance each time it is asked is no such graph: give
  /// ``SerializerOptions/Cycles/entityAsKey``, or ``SerializerOptions/Cycles/ancestorAsKey`` with a
  /// ``SerializerOptions/depth``.
  ///
  /// - Parameters:
  ///   - object: An instance of the class of the plan's first mapping, or of a subclass.
  ///   - output: The object is added to it: at the outermost level, after a name or as an element.
  /// - Throws: ``MappingError`` for an instance of another class, and for a value that has no form in JSON;
  ///   ``MainActorError`` for main-actor classes elsewhere. `output` is as it was then.
  /// - Complexity: O(*n*) in the objects reached and the relationships between them, unless ``SerializerOptions/cycles`` asks for
  ///   more. Depth costs heap and not stack.
  public func write<Object: AnyObject>(_ object: Object, to output: inout JSONWriter) throws {
    var reader = try InstanceReader(plan.schema)
    try withRun(&output, cycles: .repeatAsKey) { run, output in
      _ = try run.write(reader.number(of: object), &reader, &output)
    }
  }

  /// Writes an instance as a document of its own: at the mapping's root path, where it has one.
  ///
  /// - Parameters:
  ///   - object: An instance of the class of the plan's first mapping, or of a subclass.
  ///   - output: The document is added to it.
  /// - Throws: As ``write(_:to:)``.
  public func writeDocument<Object: AnyObject>(_ object: Object, to output: inout JSONWriter) throws {
    var reader = try InstanceReader(plan.schema)
    try withRun(&output, cycles: .repeatAsKey) { run, output in
      try writeUnderRoot(&output) { _ = try run.write(reader.number(of: object), &reader, &$0) }
    }
  }

  /// Writes instances as an array and a document of its own: at the mapping's root path, where it has one.
  ///
  /// - Parameters:
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, in their order.
  ///   - output: The document is added to it.
  /// - Throws: As ``write(_:to:)``.
  public func writeDocument<Object: AnyObject>(
    _ objects: some Sequence<Object>, to output: inout JSONWriter
  ) throws {
    var reader = try InstanceReader(plan.schema)
    try withRun(&output, cycles: .repeatAsKey) { run, output in
      try writeUnderRoot(&output) { output in
        output.beginArray()
        for object in objects { _ = try run.write(reader.number(of: object), &reader, &output) }
        output.endArray()
      }
    }
  }

  /// The document of an instance as a text.
  ///
  ///     let text = try serializer.json(of: lucas, isPretty: true)
  ///
  /// - Parameters:
  ///   - object: An instance of the class of the plan's first mapping, or of a subclass.
  ///   - isPretty: Whether members stand on lines of their own, indented by two spaces a level.
  /// - Throws: As ``write(_:to:)``.
  public func json<Object: AnyObject>(of object: Object, isPretty: Bool = false) throws -> String {
    var output = JSONWriter(isPretty: isPretty)
    try writeDocument(object, to: &output)
    return output.withBytes { String(decoding: $0, as: UTF8.self) }
  }

  /// The document of an array of instances as a text.
  ///
  ///     let text = try serializer.json(of: [lucas, ada])              // [{"id":314},{"id":7}]
  ///
  /// - Parameters:
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, in their order.
  ///   - isPretty: Whether members and elements stand on lines of their own, indented by two spaces a level.
  /// - Throws: As ``write(_:to:)``.
  public func json<Object: AnyObject>(of objects: some Sequence<Object>, isPretty: Bool = false) throws
    -> String
  {
    var output = JSONWriter(isPretty: isPretty)
    try writeDocument(objects, to: &output)
    return output.withBytes { String(decoding: $0, as: UTF8.self) }
  }
}
