internal import FastMapJSON
internal import FastMapStoreKit

/// The types and names that a later mapping file gives to entities and their fields, for the other mappings of a kept file.
struct FileChanges {
  private var types: [ByteName: [ByteName: JSONTree]] = [:]
  /// By entity, the new names of fields by their earlier ones.
  private var names: [ByteName: [ByteName: String]] = [:]
  private var entities: [ByteName: String] = [:]
  /// By the names of mappings.
  private var owners: [ByteName: ByteName] = [:]
  private static let sections = ["attributes", "relationships"]

  /// - Parameters:
  ///   - mappings: The mappings of the later file.
  ///   - kept: The mappings of the kept one. Names that it has already are no renames.
  init(_ mappings: [JSONTree.Member], kept: [JSONTree.Member]) {
    let known = Set(kept.map { ByteName(Self.entity(of: $0)) })
    for mapping in kept + mappings { owners[ByteName(mapping.name)] = ByteName(Self.entity(of: mapping)) }
    for mapping in mappings {
      let entity = ByteName(Self.entity(of: mapping))
      if let was = mapping.value["was"]?.text, !known.contains(entity) {
        entities[ByteName(was)] = Self.entity(of: mapping)
      }
      for attribute in mapping.value["attributes"]?.members ?? [] {
        types[entity, default: [:]][ByteName(attribute.name)] = attribute.value["type"] ?? attribute.value
      }
      for field in Self.sections.flatMap({ mapping.value[$0]?.members ?? [] }) {
        guard let was = field.value["was"]?.text else { continue }
        names[entity, default: [:]][ByteName(was)] = field.name
      }
    }
  }

  private static func entity(of mapping: JSONTree.Member) -> String {
    mapping.value["entity"]?.text ?? mapping.name
  }

  func apply(to mapping: inout JSONTree.Member) {
    if let name = entities[ByteName(Self.entity(of: mapping))] { mapping.value["entity"] = .string(name) }
    let entity = ByteName(Self.entity(of: mapping))
    if let names = names[entity] { rename(names, in: &mapping.value) }
    renameInverses(in: &mapping.value)
    guard let types = types[entity], var attributes = mapping.value["attributes"]?.members else { return }
    for index in attributes.indices {
      guard let type = types[ByteName(attributes[index].name)] else { continue }
      if attributes[index].value["type"] == nil {
        attributes[index].value = type
      } else if attributes[index].value["type"] != type {
        attributes[index].value["type"] = type
        attributes[index].value["format"] = nil  // only dates have one, and no other type becomes a date
      }
    }
    mapping.value["attributes"] = .object(attributes)
  }

  /// Gives inverses the new names of the relationships that they show.
  private func renameInverses(in mapping: inout JSONTree) {
    for link in mapping["relationships"]?.members ?? [] {
      guard let target = link.value["mapping"]?.text, let owner = owners[ByteName(target)],
        let was = link.value["inverseOf"]?.text, let name = names[owner]?[ByteName(was)]
      else { continue }
      mapping["relationships"]?[link.name]?["inverseOf"] = .string(name)
    }
  }

  private func rename(_ names: [ByteName: String], in mapping: inout JSONTree) {
    for section in Self.sections {
      guard let fields = mapping[section]?.members else { continue }
      let known = Set(fields.map { ByteName($0.name) })
      mapping[section] = .object(
        fields.map { field in
          guard let name = names[ByteName(field.name)], !known.contains(ByteName(name)) else { return field }
          return JSONTree.Member(name: name, value: Self.placed(field))
        })
    }
    for member in ["primaryKey", "newerBy", "keyedBy", "deletedBy"] {
      if let value = mapping[member] { mapping[member] = Self.renamed(value, names) }
    }
    if let indexes = mapping["indexes"], case .list(let indexes) = indexes {
      mapping["indexes"] = .list(
        indexes.map { index in
          guard let fields = index["fields"] else { return Self.renamed(index, names, isIndex: true) }
          var index = index
          index["fields"] = Self.renamed(fields, names, isIndex: true)
          return index
        })
    }
  }

  /// The value of a field, which reads the member of its earlier name.
  private static func placed(_ field: JSONTree.Member) -> JSONTree {
    var value = field.value
    if (value.text ?? value["type"]?.text) == "rest" || value["inverseOf"] != nil { return value }
    if case .object = value {} else { value = .object(["type": value]) }
    if value["keyPath"] == nil, value["context"] == nil {
      value["keyPath"] = .string(JSONKeyPath(components: [field.name]).description)
    }
    return value
  }

  /// The names of fields with the new ones: a name, a list of names, or an object with a name as the member `attribute`.
  private static func renamed(
    _ value: JSONTree, _ names: [ByteName: String], isIndex: Bool = false
  ) -> JSONTree {
    switch value {
    case .string(let text):
      let field = isIndex ? IndexField(text) : IndexField(name: text, isDescending: false)
      guard let name = names[ByteName(field.name)] else { return value }
      return .string(isIndex ? IndexField(name: name, isDescending: field.isDescending).description : name)
    case .list(let values): return .list(values.map { renamed($0, names, isIndex: isIndex) })
    case .object:
      var object = value
      if let attribute = value["attribute"] { object["attribute"] = renamed(attribute, names) }
      return object
    default: return value
    }
  }
}
