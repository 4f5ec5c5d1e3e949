import FastMapCore

/// Keeps the decisions of an earlier mapping file, and adds the parts of a payload that it does not have.
///
/// A mapping of the file stands for an inferred one at the same place: with its root path, or behind a relationship with its key path.
struct KeptDecisions {
  private let file: JSONTree
  private let roots: [String]
  /// Whether a person has named the root: another name than the kept ones is another mapping.
  private let isNamed: Bool
  private var kept: MemberTable
  private let inferred: MemberTable
  /// By the names of inferred entities.
  private let shapes: [String: Shape]
  /// The new name of each inferred mapping: the name of the kept mapping in its place, or else a free name.
  private var names: [String: String] = [:]
  /// A line for each difference.
  private var lines: [String] = []

  /// - Parameter roots: The names of the file's mappings that an import began with; empty if they are not known.
  init(_ file: JSONTree, roots: [String], isNamed: Bool, over result: Inference.Result, _ schema: Schema) {
    (self.file, self.isNamed) = (file, isNamed)
    kept = MemberTable(file["mappings"])
    inferred = MemberTable(result.file["mappings"])
    shapes = Dictionary(schema.entities.map { ($0.name, $0.shape) }) { first, _ in first }
    let members = file["mappings"]?.members ?? []
    let reached = Set(members.flatMap { Self.targets(of: $0.value) })
    let all = members.map(\.name).filter { !reached.contains($0) }
    self.roots = roots.isEmpty ? all : roots
  }

  mutating func apply(to result: inout Inference.Result) {
    pair(result.roots)
    let all = result.file["mappings"]?.members.map(\.name) ?? []
    var taken = Set(names.values)
    for name in all where names[name] == nil && isKept(name) && taken.insert(name).inserted {
      names[name] = name
    }
    var added: [String] = result.roots.filter { names[$0] == nil }
    nameOthers(all)
    for (name, other) in names.sorted(by: { $0.key < $1.key }) where kept[other] != nil {
      added += merge(name, into: other)
    }
    addMappings(added)
    result.file = file
    result.file["mappings"] = kept.tree
    result.notes = lines
    result.roots = result.roots.map { names[$0] ?? $0 }
  }

  // MARK: Names

  /// Finds the kept mapping in the place of each inferred one, from the roots on.
  private mutating func pair(_ inferredRoots: [String]) {
    var pending: [(String, String)] = []
    for root in inferredRoots {
      guard let mapping = inferred[root], !isNamed || kept[root] != nil else { continue }
      let alike = roots.filter { name in
        kept[name].map {
          $0["rootPath"] == mapping["rootPath"] && ($0["keyedBy"] != nil) == (mapping["keyedBy"] != nil)
        } ?? false
      }
      if let name = alike.contains(root) ? root : alike.count == 1 ? alike[0] : nil, let old = kept[name],
        hasFields(of: old, mapping)
      {
        pending.append((root, name))
      }
    }
    var taken: Set<String> = []
    while let (name, other) = pending.popLast() {
      guard let new = inferred[name], let old = kept[other], names[name] == nil, taken.insert(other).inserted
      else { continue }
      names[name] = other
      let targets = Dictionary(
        Self.fields(old, "relationships").map { (Self.path(of: $0), $0.value["mapping"]?.text) }
      ) { first, _ in first }
      for link in Self.fields(new, "relationships") {
        if let target = link.value["mapping"]?.text, let old = targets[Self.path(of: link)] ?? nil {
          pending.append((target, old))
        }
      }
      for kind in new["kinds"]?["values"]?.members ?? [] {
        if let target = kind.value.text, let old = old["kinds"]?["values"]?[kind.name]?.text {
          pending.append((target, old))
        }
      }
    }
  }

  /// Whether two mappings share half of the key paths of one of them.
  private func hasFields(of old: JSONTree, _ new: JSONTree) -> Bool {
    let (paths, newPaths) = (paths(of: old, in: kept), paths(of: new, in: inferred))
    let shared = 2 * paths.intersection(newPaths).count
    return shared >= paths.count || shared >= newPaths.count
  }

  private func paths(of mapping: JSONTree, in mappings: MemberTable) -> Set<String> {
    let parts = [mapping] + Draft.kinds(of: mapping).compactMap { mappings[$0] }
    let fields = parts.flatMap { Self.fields($0, "attributes") + Self.fields($0, "relationships") }
    return Set(fields.filter { Self.type(of: $0.value)?.text != "rest" }.map(Self.path))
  }

  /// Whether a kept mapping has the name and the key of an inferred one.
  private func isKept(_ name: String) -> Bool {
    guard let old = kept[name], let new = inferred[name], let key = old["primaryKey"] else { return false }
    return key == new["primaryKey"] && old["rootPath"] == new["rootPath"]
      && Self.texts(key).allSatisfy { part in
        old["attributes"]?[part].flatMap(Self.type) == new["attributes"]?[part].flatMap(Self.type)
      }
  }

  private mutating func nameOthers(_ all: [String]) {
    for name in all where names[name] == nil {
      var (free, number) = (name, 2)
      while kept[free] != nil {
        free = name + String(number)
        number += 1
      }
      names[name] = free
    }
  }

  private static func targets(of mapping: JSONTree) -> [String] {
    fields(mapping, "relationships").compactMap { $0.value["mapping"]?.text } + Draft.kinds(of: mapping)
  }

  private static func fields(_ mapping: JSONTree, _ section: String) -> [JSONTree.Member] {
    mapping[section]?.members ?? []
  }

  private static func path(of field: JSONTree.Member) -> String {
    guard let path = field.value["keyPath"] else { return JSONKeyPath(components: [field.name]).description }
    return path.text ?? ""
  }

  // MARK: Fields

  /// Adds the fields of an inferred mapping to a kept one, and widens its types.
  ///
  /// - Returns: The inferred mappings that new relationships lead to.
  private mutating func merge(_ name: String, into other: String) -> [String] {
    guard let new = inferred[name], let old = kept[other] else { return [] }
    if old["ignores"] == .boolean(true) { return [] }
    let keptKinds = Draft.kinds(of: old).filter { kept[$0] != nil }
    let parts = [new] + (old["kinds"] == nil ? Draft.kinds(of: new).compactMap { inferred[$0] } : [])
    let shape = shapes[new["entity"]?.text ?? name]
    var added: [String] = []
    if let kinds = old["kinds"], kinds["keyPath"] == new["kinds"]?["keyPath"] {
      for kind in new["kinds"]?["values"]?.members ?? [] where kinds["values"]?[kind.name] == nil {
        guard let target = kind.value.text else { continue }
        kept[other]?["kinds"]?["values"]?[kind.name] = .string(names[target] ?? target)
        added.append(target)
        lines.append("\(other): \(quoted(kind.name)) is a new kind, \(names[target] ?? target)")
      }
    }
    for target in keptKinds.isEmpty ? [other] : keptKinds {
      for part in parts { added += add(part, to: target, ignoring: old, shape) }
    }
    return added
  }

  private mutating func add(
    _ new: JSONTree, to name: String, ignoring owner: JSONTree, _ shape: Shape?
  ) -> [String] {
    guard var mapping = kept[name] else { return [] }
    var (attributes, links) = (MemberTable(mapping["attributes"]), MemberTable(mapping["relationships"]))
    let fields = Self.fields(mapping, "attributes") + Self.fields(mapping, "relationships")
    var known = Dictionary(fields.map { (Self.path(of: $0), $0.name) }) { first, _ in first }
    for ignored in [mapping, owner].flatMap({ Self.texts($0["ignores"]) }) { known[ignored] = "" }
    let key = Self.texts(mapping["primaryKey"])
    var added: [String] = []
    for field in Self.fields(new, "attributes") where Self.type(of: field.value)?.text != "rest" {
      let path = Self.path(of: field)
      guard let place = known[path] else {
        known[path] = field.name
        let free = Self.free(field.name, attributes, links)
        attributes[free] = free == field.name ? field.value : Self.at(path, field.value)
        lines.append("\(name).\(free): new, \(Self.words(for: field.value))")
        continue
      }
      guard let old = attributes[place], let wider = widened(old, field, shape) else { continue }
      let types = "\(Self.words(for: old)) becomes \(Self.words(for: wider))"
      if key.contains(place) {
        lines.append("\(name).\(place): a key keeps its type; \(types) in the payload")
      } else {
        attributes[place] = Self.typed(old, wider)
        lines.append("\(name).\(place): \(types)")
      }
    }
    for link in Self.fields(new, "relationships") {
      let path = Self.path(of: link)
      if let place = known[path] {
        if let old = attributes[place], Self.type(of: old)?.text != "json", !key.contains(place) {
          attributes[place] = Self.typed(old, .string("json"))
          lines.append("\(name).\(place): \(Self.words(for: old)) becomes json, as the payload has objects")
        }
        continue
      }
      guard let target = link.value["mapping"]?.text else { continue }
      known[path] = link.name
      let free = Self.free(link.name, attributes, links)
      var value = free == link.name ? link.value : Self.at(path, link.value)
      value["mapping"] = .string(names[target] ?? target)
      links[free] = value
      added.append(target)
      lines.append("\(name).\(free): new, objects of \(names[target] ?? target)")
    }
    let rest = attributes.tree.members.first { Self.type(of: $0.value)?.text == "rest" }
    if let rest { (attributes[rest.name], attributes[rest.name]) = (nil, rest.value) }
    mapping["attributes"] = attributes.tree
    if !links.tree.members.isEmpty { mapping["relationships"] = links.tree }
    kept[name] = mapping
    return added
  }

  private static func texts(_ tree: JSONTree?) -> [String] {
    if case .list(let all)? = tree { all.compactMap(\.text) } else { (tree?.text).map { [$0] } ?? [] }
  }

  private static func free(_ name: String, _ attributes: MemberTable, _ links: MemberTable) -> String {
    var free = name
    while attributes[free] != nil || links[free] != nil { free += "_" }
    return free
  }

  private static func at(_ path: String, _ field: JSONTree) -> JSONTree {
    var field = Draft.object(field)
    field["keyPath"] = path.isEmpty ? .null : .string(path)
    return field
  }

  // MARK: Mappings

  /// Adds inferred mappings that have no kept one in their place, and all that they lead to.
  private mutating func addMappings(_ first: [String]) {
    var pending = Array(first.reversed())
    while let name = pending.popLast() {
      guard let free = names[name], var mapping = inferred[name], kept[free] == nil else { continue }
      pending += Self.targets(of: mapping).reversed()
      if let entity = mapping["entity"]?.text { mapping["entity"] = .string(names[entity] ?? entity) }
      for link in Self.fields(mapping, "relationships") {
        guard let target = link.value["mapping"]?.text else { continue }
        mapping["relationships"]?[link.name]?["mapping"] = .string(names[target] ?? target)
      }
      for kind in mapping["kinds"]?["values"]?.members ?? [] {
        guard let target = kind.value.text else { continue }
        mapping["kinds"]?["values"]?[kind.name] = .string(names[target] ?? target)
      }
      if let other = mapping["kinds"]?["otherwise"]?.text, let name = names[other] {
        mapping["kinds"]?["otherwise"] = .string(name)
      }
      kept[free] = mapping
      lines.append("\(free): a new mapping")
    }
  }

  // MARK: Types

  static func type(of field: JSONTree) -> JSONTree? {
    if case .object = field { field["type"] } else { field }
  }

  private static func typed(_ field: JSONTree, _ type: JSONTree) -> JSONTree {
    guard case .object = field else { return type }
    var field = field
    (field["type"], field["format"]) = (type, nil)
    return field
  }

  private static func words(for field: JSONTree) -> String {
    switch type(of: field) {
    case .list(let types)?: "a list of " + list(types.compactMap(\.text))
    case .string(let name)?: name
    default: "json"
    }
  }

  /// The type that a kept attribute must have to hold the values of a payload; nil if it holds them.
  private func widened(_ old: JSONTree, _ new: JSONTree.Member, _ shape: Shape?) -> JSONTree? {
    guard let type = Self.type(of: old), let newType = Self.type(of: new.value),
      type != newType || old["format"] != new.value["format"],
      old["lenient"] == nil, old["transform"] == nil
    else { return nil }
    let place = shape?.value(at: JSONKeyPath(Self.path(of: new)).steps[...])
    guard let place, place.counts.all > 0 else { return nil }
    let wider: Set<String> =
      switch newType.text {
      case "integer": ["number", "decimal", "date"]
      case "number": ["decimal"]
      case "date", "data": ["string", "date", "integer"]
      case "string": ["data"]
      default: []
      }
    if let name = type.text, wider.contains(name), holds(name, old, place) { return nil }
    switch (type.text, newType) {
    case ("json", _), ("rest", _): return nil
    case ("integer", .string("number")), ("integer", .string("decimal")), ("number", .string("decimal")):
      return newType
    case (let name?, .list(let element)) where element == [.string(name)]: return newType
    default: return .string("json")
    }
  }

  /// Whether a type that may hold the values of a payload does.
  private func holds(_ type: String, _ field: JSONTree, _ place: Shape) -> Bool {
    switch type {
    case "date":
      let format = field["format"]?.text ?? "iso8601"
      if format.hasPrefix("epoch") { return place.counts.integers == place.counts.all }
      guard place.counts.strings == place.counts.all, let form = DateForms.names.firstIndex(of: format) else {
        return false
      }
      return (place.text?.dates ?? 0) & 1 << form != 0
    case "data":
      return place.counts.strings == place.counts.all && place.text?.isData(isExpected: true) ?? false
    case "string": return place.counts.strings == place.counts.all
    default: return place.counts.numbers == place.counts.all
    }
  }
}
