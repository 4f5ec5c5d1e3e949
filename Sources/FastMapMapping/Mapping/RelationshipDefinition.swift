/// A link from the objects of a mapping to objects of a mapping, without their types.
///
///     RelationshipDefinition("boss", .named("Person"), isToMany: false, at: "boss_id", isWeak: true)
public struct RelationshipDefinition: Sendable {
  /// Its name in the store, in records and in messages.
  public let name: String

  /// The mapping of its targets.
  package var destination: Destination { link.destination }
  private let link: DestinationLink

  /// The place that was declared.
  package var place: JSONKeyPath { outerPath ?? keyPath }

  /// Whether it has any number of targets, in an order, or at most one.
  public let isToMany: Bool

  /// The place of its value in the owner's representation.
  package internal(set) var keyPath: JSONKeyPath

  /// The place of its value outside of the owner's representation; nil for none. The value is written at `keyPath`.
  package private(set) var outerPath: JSONKeyPath?

  /// Decides about the old targets when a payload brings new ones.
  package let policy: RelationshipPolicy

  /// Whether it only links to objects that exist, in the store or anywhere in the payload, and makes none.
  package let isWeak: Bool

  /// Its earlier name, under which a store may still have it.
  package var was: String?

  /// The attribute of the targets whose values are the names of the members, where the targets are the members of an object.
  package var keyedBy: String?

  /// Whether it takes other JSON that means no target, see ``lenient``.
  package internal(set) var isLenient = false

  /// The same relationship, which takes other JSON that means no target: `[]`, `""` and `false` as null where one object is
  /// expected, and `{}` as an empty list.
  ///
  /// Whether a key is read leniently is said by the mapping that has the key. A relationship that reads its owner's own
  /// representation, or a list by a key path with `[]`, is not changed.
  package var lenient: RelationshipDefinition { lenient(true) }

  func lenient(_ isLenient: Bool) -> RelationshipDefinition {
    var relationship = self
    relationship.isLenient = isLenient
    return relationship
  }

  /// The property that takes the targets; nil in a record.
  package var access: RelationshipAccess?

  /// A mapping, or how to find it.
  public enum Destination: Sendable {
    /// The mapping with this name in the plan's ``MappingSet``.
    case named(String)
    /// The mapping that the closure returns when a plan is compiled: always the same one.
    case mapping(@Sendable () -> MappingDefinition)
    /// The same, of a mapping of the main actor: ``MainActorMapping`` compiles it there.
    case onMain(@MainActor @Sendable () -> MappingDefinition)

    /// A mapping.
    ///
    ///     Kinds("type", ["PushEvent": .mapping(Event.push)])
    ///
    /// - Parameter mapping: It is asked for when a plan is compiled.
    public static func mapping<Object>(
      _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Object>
    ) -> Destination {
      .mapping { mapping().definition }
    }
  }

  /// Makes a relationship from its parts.
  ///
  /// - Parameters:
  ///   - name: Its name in the store and in messages, not empty.
  ///   - destination: The mapping of its targets, or how to find it.
  ///   - isToMany: Whether it has any number of targets, in an order, or at most one.
  ///   - keyPath: The place of its value. ``JSONKeyPath/wholeValue`` is the owner's own representation.
  ///   - policy: Decides about the old targets when a payload brings new ones.
  ///   - isWeak: Whether it only links to objects that exist, and makes none.
  ///   - was: Its earlier name, under which a store may still have it.
  package init(
    _ name: String, _ destination: Destination, isToMany: Bool, at keyPath: JSONKeyPath = .ownName,
    policy: RelationshipPolicy = .assign, isWeak: Bool = false, was: String? = nil
  ) {
    self.name = name
    self.was = was
    link = DestinationLink(destination)
    self.isToMany = isToMany
    outerPath = keyPath.ifOuter?.inForm("key of \(name)")
    self.keyPath = (outerPath == nil ? keyPath : .ownName).resolved(for: name)
    self.policy = policy
    self.isWeak = isWeak
  }

  /// A relationship of a class.
  ///
  /// - Parameter name: Nil for the property's own, empty if it has none: a plan refuses it.
  @usableFromInline
  init(
    _ name: String?, _ destination: Destination, isToMany: Bool, at keyPath: JSONKeyPath,
    policy: RelationshipPolicy, isWeak: Bool, keyedBy: String? = nil, was: String? = nil,
    shape: RelatedObjectsShape, access: @escaping RelationshipClosure
  ) {
    let access = RelationshipAccess(access: access, shape: shape)
    self.init(
      name ?? access.property?.propertyName ?? "", destination, isToMany: isToMany, at: keyPath,
      policy: policy, isWeak: isWeak, was: was)
    self.keyedBy = keyedBy
    self.access = access
  }
}
