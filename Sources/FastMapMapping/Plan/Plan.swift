internal import CFastMap

/// A mapping compiled together with all it refers to, ready to run.
///
///     let plan = try Plan(person)
///
/// Entities and their fields are numbered (two mappings of one entity share the numbers), key paths are split
/// into a tree of members, relationships are resolved and cycles closed:
///
///     Person { id, city<-"address.city", boss<-"boss_id": PersonRef }      entity 0: id city boss
///
///       member "id"       → attribute 0                                    slot 0
///       member "address"  → member "city" → attribute 1                    slot 1
///       member "boss_id"  → relationship 0, to mapping 1 (PersonRef)       slot 2
///
/// The walk looks up the members of an object, converts attributes into the slots of its row, and then visits the
/// values of its relationships.
///
/// Immutable: one plan serves any number of imports and reads on any thread.
public final class Plan: Sendable {
  /// The entities and fields, as stores see them.
  public let schema: Schema

  /// The classes of the schema's entities, by entity.
  package let classes: [EntityClass]

  /// The mappings that can be reached; the first is the one to be imported or exported.
  package let mappings: [PlannedMapping]

  /// The mapping of root objects that are the members of an object; nil if they are elements.
  package let keyedRoot: Int?

  package let compiled: CompiledPlan

  package let traits: FieldTraits

  /// Compiles a mapping whose relationships all refer to mappings directly.
  ///
  /// - Parameters:
  ///   - mapping: A mapping of records, or of instances of a class.
  ///   - transforms: For every property of their types that has none of its own.
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  public convenience init<Object>(
    _ mapping: Mapping<Object>, transforms: Transforms = Transforms()
  ) throws(MappingDefinitionError) {
    try self.init(mapping.definition, transforms: transforms)
  }

  /// Compiles a mapping.
  ///
  /// - Parameters:
  ///   - mapping: The mapping to import or export.
  ///   - set: The mappings that relationships refer to by name.
  ///   - transforms: For every property of their types that has none of its own.
  /// - Throws: ``MappingDefinitionError`` with every fault found.
  /// - Complexity: O(*m*) in the attributes and relationships that can be reached.
  package convenience init(
    _ mapping: MappingDefinition, in set: MappingSet = MappingSet([MappingDefinition]()),
    transforms: Transforms = Transforms()
  ) throws(MappingDefinitionError) {
    try self.init(mapping, set, transforms, isOnMain: false)
  }

  /// - Parameter isOnMain: Whether the main actor calls: only then mappings of main-actor classes may refer to others.
  package init(
    _ mapping: MappingDefinition, _ set: MappingSet, _ transforms: Transforms, isOnMain: Bool
  ) throws(MappingDefinitionError) {
    let reached = try PlanCompiler.reach(
      [mapping] + set.dependents(of: mapping), in: set, isOnMain: isOnMain)
    (schema, classes, mappings) = try PlanCompiler.number(reached, transforms, beside: set.mappings)
    hasNewer = mappings.contains { $0.mapping.newerBy != nil }
    hasDeleted = mappings.contains { $0.mapping.deletedBy != nil }
    traits = FieldTraits(of: mappings, in: schema, beside: set.mappings)
    keyedRoot = reached.keyedRoot
    compiled = CompiledPlan(mappings: mappings, schema: schema, traits: traits, keyedRoot: keyedRoot)
  }

  /// Compiles the mappings of several plans together, for a context.
  package init(joining plans: [[MappingDefinition]]) throws(MappingDefinitionError) {
    let roots = plans.flatMap(\.self)
    let reached = try PlanCompiler.reach(
      roots, in: MappingSet(roots), isOnMain: MainIsolation.isCurrent)
    (schema, classes, mappings) = try PlanCompiler.number(reached, Transforms())
    hasNewer = mappings.contains { $0.mapping.newerBy != nil }
    hasDeleted = mappings.contains { $0.mapping.deletedBy != nil }
    traits = FieldTraits(of: mappings, in: schema)
    keyedRoot = nil
    compiled = CompiledPlan(mappings: mappings, schema: schema, traits: traits, keyedRoot: nil)
  }

  /// The mapping that is imported or exported.
  public var root: MappingDefinition { mappings[0].mapping }

  /// Whether an occurrence may be older than its object.
  package let hasNewer: Bool
  /// Whether an object may say that it is deleted.
  package let hasDeleted: Bool

  /// Whether mappings are chosen by a value.
  package var hasKinds: Bool { mappings.contains { $0.kinds != nil } }

  /// Whether an entity has a class for each of its kinds.
  package var hasKindClasses: Bool { classes.contains { $0.objects?.kinds != nil } }

  /// The name of an entity with a main-actor class; nil if there is none.
  package var mainEntity: String? {
    classes.firstIndex { $0.objects?.isOnMain ?? false }.map { schema.entities[$0].name }
  }

  /// Whether reading calls transforms.
  package var hasTransforms: Bool { mappings.contains { $0.transforms.contains { $0 != nil } } }
}

/// A mapping with its numbers.
package struct PlannedMapping: Sendable {
  package let mapping: MappingDefinition
  /// The mapping as it was declared, without the fields that a choice by a value adds.
  package let source: MappingDefinition
  package let entity: Int
  package let attributeFields: [Int]
  package let relationshipFields: [Int]
  /// The number of each relationship's mapping.
  package let destinations: [Int]
  /// The transform of each attribute: its own, or the one for its property's type.
  package let transforms: [AnyTransform?]
  /// The attribute that is the primary key.
  package let key: Int?
  /// Its part in a choice by a value; nil for most mappings.
  package let kinds: PlannedKinds?

  /// The members that the attribute with the rest does not have; nil without one.
  package let rest: RestMembers?

  /// The attribute that is the name of the member with the object.
  package var named: Int? { mapping.attributes.firstIndex { $0.source == .memberName } }

  package var keyField: Int? { key.map { attributeFields[$0] } }

  package let parts: [KeyPart]

  /// The fields that a bare key has: the key, and its parts.
  package var fieldsOfKey: [Int] {
    (keyField.map { [$0] } ?? [])
      + parts.map { part in
        switch part {
        case .attribute(let index): attributeFields[index]
        case .relationship(let index): relationshipFields[index]
        }
      }
  }

  /// The name of the member that has an object with this key, as far as the name is the key or a part of it.
  package func memberName(of key: PrimaryKey) -> String? {
    if parts.isEmpty { return key.memberName }
    let place = parts.firstIndex { part in
      if let named, case .attribute(named) = part { true } else { false }
    }
    // A scoped key begins with the key of the owner.
    guard let place = place.map({ mapping.isScoped ? $0 + 1 : $0 }), let found = key.parts,
      place < found.count
    else { return nil }
    return found[place].memberName
  }

  /// The field by which an occurrence is newer or older than its object.
  package var newerField: Int? {
    mapping.newerBy.flatMap { name in
      mapping.attributes.firstIndex { NameIndex.isSame($0.name, name) }.map { attributeFields[$0] }
    }
  }
}
