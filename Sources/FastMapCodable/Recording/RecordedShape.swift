/// How a mapping has the values of a type.
indirect enum RecordedShape {
  /// One value. The closure makes the attribute with a name.
  case attribute(@Sendable (String) -> AttributeDefinition)
  /// An object.
  case object(RecordedObject)
  /// A list of objects.
  case objects(RecordedObject)
  /// Any JSON, because the type has no shape that can be known.
  case json(because: String?)

  func isSame(as other: RecordedShape) -> Bool {
    switch (self, other) {
    case (.object(let a), .object(let b)), (.objects(let a), .objects(let b)): a === b
    default: attribute("").map { $0.type == other.attribute("")?.type } ?? false
    }
  }

  /// The attribute with a name; nil for objects.
  func attribute(_ name: String) -> AttributeDefinition? {
    switch self {
    case .attribute(let make): make(name)
    case .json: AttributeDefinition(name, .json)
    case .object, .objects: nil
    }
  }

  /// The relationship with a name; nil for values.
  func relationship(_ name: String, at keyPath: JSONKeyPath) -> RelationshipDefinition? {
    switch self {
    case .object(let object):
      RelationshipDefinition(name, object.destination, isToMany: false, at: keyPath)
    case .objects(let object):
      RelationshipDefinition(name, object.destination, isToMany: true, at: keyPath)
    case .attribute, .json: nil
    }
  }
}

/// The mapping of a type, while it is recorded and afterwards.
final class RecordedObject {
  private let type: any Decodable.Type
  private let open = OpenMapping()
  private var finished: MappingDefinition?

  init(_ type: any Decodable.Type) { self.type = type }

  func finish(_ definition: MappingDefinition) {
    finished = definition
    open.definition = definition
  }

  /// A type that refers to itself does not keep its own mapping alive: the mapping above it does.
  var destination: RelationshipDefinition.Destination {
    if let finished { return .mapping { finished } }
    let type = UncheckedType(type: type)
    return .mapping { [open] in open.definition ?? Recording.definition(of: type.type) }
  }
}

/// The mapping of a type that is being recorded.
// @unchecked: written once, before a mapping that refers to it is handed out.
private final class OpenMapping: @unchecked Sendable {
  weak var definition: MappingDefinition?
}

/// A type that is decoded on any thread.
// @unchecked: a metatype, whose conformance belongs to no actor.
struct UncheckedType: @unchecked Sendable {
  let type: any Decodable.Type
}
