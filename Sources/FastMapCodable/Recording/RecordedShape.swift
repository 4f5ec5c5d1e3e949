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
// @unchecked: written once, before a mapping that refers to it is handed out.
final class RecordedObject: @unchecked Sendable {
  /// Weak for a type that refers to itself: its mapping would keep itself alive.
  private weak var open: MappingDefinition?
  private var kept: MappingDefinition?
  private let type: any Decodable.Type

  init(_ type: any Decodable.Type) { self.type = type }

  /// - Parameter isRecursive: Whether the mapping refers to itself, so that the root keeps it alive.
  func finish(_ definition: MappingDefinition, isRecursive: Bool) {
    open = definition
    kept = isRecursive ? nil : definition
  }

  var destination: RelationshipDefinition.Destination {
    .mapping { self.kept ?? self.open ?? Recording.definition(of: self.type) }
  }
}
