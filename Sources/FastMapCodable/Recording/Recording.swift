/// Learns the shapes of types from their `init(from:)`, without data.
///
/// Each type is decoded from a ``Recorder``, which notes the members that it asks for and returns dummies. A type is recorded once, and
/// a type in itself waits for its own end.
final class Recording {
  /// The recorded facts about a type.
  struct Known {
    let shape: RecordedShape
    /// A value of the type, without meaning; nil if none could be made.
    let dummy: Any?
  }

  private var known: [ObjectIdentifier: Known] = [:]
  /// The types that are being recorded.
  private var open: [ObjectIdentifier: RecordedObject] = [:]
  private var types: [String: ObjectIdentifier] = [:]
  private(set) var faults: [String] = []

  /// The mapping of a type, without options.
  static func definition(of type: any Decodable.Type) -> MappingDefinition {
    Recording().root(type, MappingOptions(name: nil, key: .identifiable))
  }

  // MARK: Types

  func shape(of type: any Decodable.Type) -> RecordedShape { known(of: type).shape }

  /// A dummy of a type, and its shape.
  func known(of type: any Decodable.Type) -> Known {
    func known<T: Decodable>(_ type: T.Type) -> Known { record(type) }
    return known(type)
  }

  private func record<T: Decodable>(_ type: T.Type) -> Known {
    let name = ObjectIdentifier(type)
    if let found = known[name] { return found }
    if let own = open[name] { return Known(shape: .object(own), dummy: nil) }
    let new = recordAnew(type)
    known[name] = new
    return new
  }

  private func recordAnew<T: Decodable>(_ type: T.Type) -> Known {
    if let list = type as? any CollectedValues.Type { return collected(list) }
    if type is any UnorderedValues.Type { return Known(shape: .json(because: nil), dummy: empty(type)) }
    switch TypeFacts(type) {
    case .cell(let type):
      func known<V: CellValue>(_ type: V.Type) -> Known { cell(type) }
      return known(type)
    case .attribute(let value):
      func known<V: AttributeValue>(_ value: V.Type) -> Known {
        Known(
          shape: .attribute { AttributeDefinition($0, value) },
          dummy: Dummy.value(value) ?? run(type).made ?? Dummy.plain(type))
      }
      return known(value)
    case .unordered, .list, .itself: break
    }
    let object = RecordedObject(type)
    open[ObjectIdentifier(type)] = object
    defer { open[ObjectIdentifier(type)] = nil }
    let (made, recorder) = run(type)
    let shape = shape(of: type, recorder, isMade: made != nil, object)
    return Known(shape: shape, dummy: made ?? Dummy.plain(type))
  }

  private func cell<V: CellValue>(_ type: V.Type) -> Known {
    guard let value = type as? any AttributeValue.Type else {
      return Known(shape: .json(because: nil), dummy: Dummy.plain(type))
    }
    func known<A: AttributeValue>(_ value: A.Type) -> Known {
      Known(shape: .attribute { AttributeDefinition($0, value) }, dummy: Dummy.value(value))
    }
    return known(value)
  }

  private func empty<T>(_ type: T.Type) -> T? {
    (type as? any ExpressibleByDictionaryLiteral.Type).flatMap { Dummy.dictionary($0) as? T }
  }

  private func collected<C: CollectedValues>(_ type: C.Type) -> Known {
    let element = shape(of: type.element)
    if type.isOptional { return Known(shape: element, dummy: type.empty) }
    // A list has no null among objects or values of one type.
    let hasNulls = (type.element as? any CollectedValues.Type)?.isOptional ?? false
    switch element {
    case .object(let object) where !hasNulls: return Known(shape: .objects(object), dummy: type.empty)
    case .attribute(let make) where !hasNulls && make("").type.kind != .json:
      let type = make("").type
      return Known(shape: .attribute { AttributeDefinition($0, .list(type)) }, dummy: C.empty)
    case .object, .objects, .attribute, .json: return Known(shape: .json(because: nil), dummy: type.empty)
    }
  }

  /// Decodes a type from recorders, with other dummies as long as the type refuses them.
  ///
  /// - Returns: A value of the type, and its recorder; nil and the first recorder if the type refuses all dummies.
  private func run<T: Decodable>(_ type: T.Type) -> (made: T?, Recorder) {
    var first: Recorder?
    for attempt in 0..<Dummy.attempts {
      let recorder = Recorder(self, attempt)
      do { return (try T(from: recorder), recorder) } catch {
        recorder.error = recorder.error ?? "\(error)"
        first = first ?? recorder
      }
    }
    return (nil, first ?? Recorder(self, 0))
  }

  private func shape<T: Decodable>(
    of type: T.Type, _ recorder: Recorder, isMade: Bool, _ object: RecordedObject
  ) -> RecordedShape {
    if let reason = recorder.unknown { return .json(because: reason) }
    if let single = recorder.single, recorder.members.isEmpty {
      guard case .attribute(let make) = single else { return single }
      guard isMade || Dummy.plain(type) != nil else { return .json(because: recorder.error) }
      // A raw value may have no case.
      let check = UncheckedType(type: type)
      return .attribute { name in
        var attribute = make(name)
        attribute.rules.misfit = { check.misfit(in: $0) }
        return attribute
      }
    }
    if !isMade { return .json(because: recorder.error) }
    if recorder.members.isEmpty { return .json(because: nil) }
    let options = MappingOptions(name: nil, key: .identifiable)
    let definition = definition(of: type, recorder, options, faults: [])
    object.finish(definition)
    return .object(object)
  }

  // MARK: Mappings

  /// The mapping of a root type, with all faults of the recording.
  func root(_ type: any Decodable.Type, _ options: MappingOptions) -> MappingDefinition {
    func root<T: Decodable>(_ type: T.Type) -> MappingDefinition {
      let object = RecordedObject(type)
      open[ObjectIdentifier(type)] = object
      let (made, recorder) = run(type)
      var faults: [String] = []
      if let reason = recorder.unknown ?? (made == nil ? recorder.error : nil) {
        faults.append("the fields of \(type) cannot be recorded: \(reason)")
      } else if recorder.members.isEmpty {
        faults.append("\(type) has no members, so it is no object")
      }
      let definition = definition(of: type, recorder, options, faults: faults)
      object.finish(definition)
      return definition
    }
    return root(type)
  }

  private func definition<T: Decodable>(
    of type: T.Type, _ recorder: Recorder, _ options: MappingOptions, faults: [String]
  ) -> MappingDefinition {
    var faults = faults
    let name = options.name ?? TypeName.of(type)
    if name == nil {
      faults.append("\(type) is generic, so its entity needs a name: Mapping(\(type).self, named: …)")
    } else if let name, let other = types[name], other != ObjectIdentifier(type) {
      faults.append("two types are named \(name); give one a mapping of its own, with named:")
    }
    if let name { types[name] = ObjectIdentifier(type) }
    self.faults += faults
    var fields = RecordedFields(recorder.members)
    let key = fields.key(of: type, options.key, isRoot: options.isRoot, &self.faults)
    fields.replace(by: options.fields, &self.faults)
    return fields.definition(
      name ?? "\(type)", key: key, options, type: ObjectIdentifier(type),
      faults: options.isRoot ? self.faults : [])
  }
}

extension UncheckedType {
  /// Checks that JSON is a case of an enum with raw values.
  fileprivate func misfit(in value: JSONValue) -> TypeMismatch? {
    do {
      _ = try FastMapDecoder().value(of: type, from: value)
      return nil
    } catch { return TypeMismatch(expected: "a value of \(type)", value: value) }
  }
}
