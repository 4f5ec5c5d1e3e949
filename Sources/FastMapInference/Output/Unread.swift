import FastMapCore

extension Inference.Result {
  /// The values of the payload that no field of a root mapping reads, but for `rest`: a line for each place, with their number.
  package var unread: [String] {
    var coverage = Coverage(file)
    for collection in payload.collections {
      coverage.readCollection(collection)
    }
    if let document = payload.document { coverage.readDocument(document) }
    return coverage.lines(payload)
  }
}

/// Marks the places that mappings read.
private struct Coverage {
  private let mappings: [String: JSONTree]
  private let names: [String]
  private var read: Set<ObjectIdentifier> = []
  private var visited: Set<Visit> = []
  /// The mappings that other mappings lead to.
  private var reached: Set<String> = []

  private struct Visit: Hashable {
    let mapping: String
    let shape: ObjectIdentifier
  }

  init(_ file: JSONTree) {
    let members = file["mappings"]?.members ?? []
    names = members.map(\.name)
    mappings = Dictionary(members.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
    for (name, mapping) in mappings {
      let targets = (mapping["relationships"]?.members ?? []).compactMap { $0.value["mapping"]?.text }
      reached.formUnion((targets + Draft.kinds(of: mapping)).filter { $0 != name })
    }
  }

  // MARK: Roots

  mutating func readCollection(_ root: RootCollection) {
    let path = JSONKeyPath(components: root.path).steps
    for name in names {
      guard let mapping = mappings[name], !isReference(mapping) else { continue }
      let text = mapping["rootPath"]?.text
      let steps = text.map { $0.isEmpty ? [] : JSONKeyPath($0).steps } ?? []
      guard steps == path, isRoot(name) else { continue }
      read(name, root.place.shape)
    }
  }

  mutating func readDocument(_ place: Place) {
    for name in names where mappings[name]?["rootPath"] == nil && isRoot(name) { read(name, place.shape) }
  }

  /// Whether a mapping may be a root: it has a root path, or no other mapping refers to it.
  private func isRoot(_ name: String) -> Bool {
    if mappings[name]?["rootPath"] != nil { return true }
    return names.first == name || !reached.contains(name)
  }

  private func isReference(_ mapping: JSONTree) -> Bool {
    let attributes = mapping["attributes"]?.members ?? []
    return !attributes.isEmpty && attributes.allSatisfy { $0.value["keyPath"] == .null }
      && mapping["primaryKey"] != nil
  }

  // MARK: Mappings

  private mutating func read(_ name: String, _ shape: Shape) {
    guard let mapping = mappings[name],
      visited.insert(Visit(mapping: name, shape: ObjectIdentifier(shape))).inserted
    else { return }
    for kind in Draft.kinds(of: mapping) { read(kind, shape) }
    if let path = mapping["kinds"]?["keyPath"]?.text {
      readAttribute(shape, JSONKeyPath(path).steps[...], takesAll: false)
    }
    for attribute in mapping["attributes"]?.members ?? [] {
      let type = attribute.value.text ?? attribute.value["type"]?.text
      if type == "rest" { continue }
      readAttribute(shape, steps(of: attribute)[...], takesAll: type == "json" || type == nil)
    }
    for relationship in mapping["relationships"]?.members ?? [] {
      guard let target = relationship.value["mapping"]?.text else { continue }
      let isKeyed = relationship.value["keyedBy"] != nil
      follow(shape, steps(of: relationship)[...]) { coverage, value in
        coverage.readTargets(value, target, isKeyed: isKeyed)
      }
    }
  }

  private mutating func readTargets(_ value: Shape, _ target: String, isKeyed: Bool) {
    markValue(value)
    if isKeyed {
      for member in value.members + (value.collected.map { [$0] } ?? []) {
        markValue(member)
        read(target, member)
      }
    } else {
      read(target, value)
    }
    if let items = value.items { read(target, items) }
    for place in value.places + (value.scalars.map { [$0] } ?? []) { markValue(place) }
  }

  private func steps(of field: JSONTree.Member) -> [JSONKeyPath.Step] {
    guard let path = field.value["keyPath"] else { return [.member(field.name)] }
    return path.text.map { JSONKeyPath($0).steps } ?? []
  }

  private mutating func readAttribute(_ shape: Shape, _ path: ArraySlice<JSONKeyPath.Step>, takesAll: Bool) {
    follow(shape, path) { coverage, value in
      if takesAll { coverage.markAll(value) } else { coverage.markScalars(value) }
    }
  }

  private mutating func follow(
    _ shape: Shape, _ path: ArraySlice<JSONKeyPath.Step>, _ body: (inout Coverage, Shape) -> Void
  ) {
    guard let step = path.first else { return body(&self, shape) }
    switch step {
    case .member(let name):
      if let member = shape.member(hash: KeyNames.hash(of: name)) ?? shape.collected {
        follow(member, path.dropFirst(), body)
      }
    case .index, .each:
      if let items = shape.items { follow(items, path.dropFirst(), body) }
      // The members of a row are its places.
      if case .index(let index) = step, index < shape.members.count {
        follow(shape.members[index], path.dropFirst(), body)
      }
      if case .index(let index) = step, index < shape.places.count {
        follow(shape.places[index], path.dropFirst(), body)
      } else {
        for place in shape.places + (shape.scalars.map { [$0] } ?? []) {
          follow(place, path.dropFirst(), body)
        }
      }
    }
  }

  // MARK: Marks

  private mutating func markValue(_ shape: Shape) { read.insert(ObjectIdentifier(shape)) }

  /// Marks the scalars of a place, and those of its lists.
  private mutating func markScalars(_ shape: Shape) {
    markValue(shape)
    for place in shape.places + (shape.scalars.map { [$0] } ?? []) { markValue(place) }
  }

  private mutating func markAll(_ shape: Shape) {
    markScalars(shape)
    for member in shape.members { markAll(member) }
    if let collected = shape.collected { markAll(collected) }
    if let items = shape.items { markAll(items) }
  }

  // MARK: Lines

  func lines(_ roots: Roots) -> [String] {
    var found: [(path: String, count: Int)] = []
    for collection in roots.collections { collect(collection.place.shape, collection.place.path, &found) }
    if let document = roots.document { collect(document.shape, document.path, &found) }
    return messageLines(found.count) { index in
      let (path, count) = found[index]
      return "\(path): \(spaced(count)) value\(count == 1 ? "" : "s") that no field reads"
    }
  }

  private func collect(_ shape: Shape, _ path: String, _ found: inout [(path: String, count: Int)]) {
    let isRead = read.contains(ObjectIdentifier(shape))
    var count = isRead ? 0 : shape.counts.scalars
    for place in shape.places + (shape.scalars.map { [$0] } ?? [])
    where !read.contains(ObjectIdentifier(place)) {
      count += place.counts.scalars
    }
    if count > 0 { found.append((path, count)) }
    for member in shape.members.sorted(by: { ($0.order, $0.label) < ($1.order, $1.label) }) {
      collect(member, path + "." + JSONKeyPath(components: [member.label]).description, &found)
    }
    if let collected = shape.collected { collect(collected, path + ".*", &found) }
    if let items = shape.items { collect(items, path + "[]", &found) }
  }
}
