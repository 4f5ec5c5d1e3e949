import FastMapCore
import FastMapLMDB

/// The entities of a store or of a mapping file, as `fastmap describe` shows them.
struct Description {
  /// The store or the mapping file.
  var title: String
  var entities: [Entity] = []
  /// The size of the store's file, and the part of it in use; nil without a store.
  var size: (file: Int, live: Int)?
  private var numbers: [ByteName: Int] = [:]

  init(title: String) { self.title = title }

  struct Entity {
    let name: String
    /// The names of the fields of its key.
    var key: [String] = []
    var isScoped = false
    var attributes: [Attribute] = []
    var links: [Link] = []
    var indexes: [Index] = []
    /// The names of its mappings in a file.
    var mappings: [String] = []
    /// Its numbers in a store.
    var counts: StoreStatistics.Entity?
    /// Some of its objects, as JSON.
    var samples: [String] = []
    /// The number of objects that were read, and the values of their fields.
    var readCount = 0
    var values: [String: FieldValues] = [:]
    /// By the name of a field: its key paths and policies in a file, where they are not the usual ones.
    var notes: [ByteName: [String]] = [:]

    fileprivate mutating func note(
      _ name: String, _ place: JSONKeyPath, _ policy: RelationshipPolicy = .assign
    ) {
      let isUsual = place.isWhole || place.description == name
      let words = (isUsual ? [] : ["at \(place)"]) + (policy == .assign ? [] : [policy.name])
      notes[ByteName(name), default: []] += words.filter { !notes[ByteName(name), default: []].contains($0) }
    }
  }

  struct Attribute {
    let name: String
    let kind: AttributeKind
  }

  /// A relationship, or the inverse of one.
  struct Link {
    let name: String
    /// The number of the other entity.
    let target: Int
    let isToMany: Bool
    /// Whether the targets have no key and belong to their owner.
    var isOwned = false
    /// The name of the relationship whose inverse it is; nil for a relationship.
    var inverseOf: String?
  }

  struct Index {
    let name: String
    var isUnique: Bool
    var entryCount: Int?
  }

  var objectCount: Int { entities.reduce(0) { $0 + ($1.counts?.objectCount ?? 0) } }
  var byteCount: Int { entities.reduce(0) { $0 + ($1.counts?.bytes ?? 0) } }
  var isOfStore: Bool { entities.contains { $0.counts != nil } || size != nil }

  /// The number of an entity, which is added if it is new.
  mutating func number(of name: String) -> Int {
    if let known = numbers[ByteName(name)] { return known }
    numbers[ByteName(name)] = entities.count
    entities.append(Entity(name: name))
    return entities.count - 1
  }

  // MARK: Mappings

  /// Adds the fields of mappings.
  ///
  /// - Parameter isOfFile: Whether the names of the mappings are those of a file.
  mutating func add(_ set: MappingSet, isOfFile: Bool) {
    let entityOf = { (mapping: MappingDefinition) in Self.entity(of: mapping, in: set) }
    for mapping in set.mappings { _ = number(of: entityOf(mapping)) }
    for mapping in set.mappings {
      let place = number(of: entityOf(mapping))
      var entity = entities[place]
      if isOfFile { entity.mappings.append(mapping.name) }
      if let key = mapping.keyFields, isOfFile || entity.key.isEmpty {
        entity.key = key.names
        entity.isScoped = key.isScoped
      }
      if isOfFile {
        for attribute in mapping.declaredAttributes where attribute.hasPlace {
          entity.note(attribute.name, attribute.place)
        }
        for link in mapping.relationships { entity.note(link.name, link.place, link.policy) }
      }
      var names = Set(entity.attributes.map { ByteName($0.name) } + entity.links.map { ByteName($0.name) })
      for attribute in mapping.declaredAttributes where names.insert(ByteName(attribute.name)).inserted {
        entity.attributes.append(Attribute(name: attribute.name, kind: attribute.type.kind))
      }
      for relationship in mapping.relationships where names.insert(ByteName(relationship.name)).inserted {
        guard case .named(let name) = relationship.destination, let target = set[name] else { continue }
        entity.links.append(
          Link(
            name: relationship.name, target: number(of: entityOf(target)), isToMany: relationship.isToMany,
            isOwned: target.primaryKey == nil && target.kinds == nil || target.isScoped))
      }
      for inverse in mapping.inverses where names.insert(ByteName(inverse.name)).inserted {
        guard case .named(let name) = inverse.mapping, let owner = set[name] else { continue }
        entity.links.append(
          Link(
            name: inverse.name, target: number(of: entityOf(owner)), isToMany: inverse.isToMany,
            inverseOf: inverse.relationshipName))
      }
      for index in mapping.indexes {
        let name = index.description
        if let known = entity.indexes.firstIndex(where: { ByteName($0.name) == ByteName(name) }) {
          if index.isUnique { entity.indexes[known].isUnique = true }
        } else {
          entity.indexes.append(Index(name: name, isUnique: index.isUnique))
        }
      }
      entities[place] = entity
    }
  }

  /// The entity of a mapping. A mapping with kinds has the entity of its kinds.
  private static func entity(of mapping: MappingDefinition, in set: MappingSet) -> String {
    for (_, destination) in mapping.kinds?.values ?? [] {
      if case .named(let name) = destination, let kind = set[name] { return kind.entity }
    }
    return mapping.entity
  }

  // MARK: Stores

  mutating func add(_ statistics: StoreStatistics) {
    for entity in statistics.entities {
      let place = number(of: entity.name)
      entities[place].counts = entity
      for index in entity.indexes {
        let new = Index(name: index.name, isUnique: index.isUnique, entryCount: entity.objectCount)
        let known = entities[place].indexes.firstIndex { ByteName($0.name) == ByteName(index.name) }
        if let known { entities[place].indexes[known] = new } else { entities[place].indexes.append(new) }
      }
    }
    if let file = statistics.file { size = (file.size, file.liveBytes) }
  }
}
