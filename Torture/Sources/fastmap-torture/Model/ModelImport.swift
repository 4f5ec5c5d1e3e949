import FastMapCore

/// The rules of one import.
struct ModelImport {
  private(set) var model: Model
  private let policies: Policies
  /// Attributes of a node that the mappings do not name.
  private let dropped: Set<String>
  /// The objects that the payload contained.
  private(set) var met: Set<Model.Reference> = []
  /// Targets that a `replace` has removed.
  private var candidates: Set<Model.Reference> = []
  /// The lists of notes before the deletions, which take references out of notes.
  private var notes: [PrimaryKey: [Model.Note]] = [:]

  /// The counts of objects with a key, as in a report.
  struct Counts: Equatable {
    var inserted = 0
    var updated = 0
    var unchanged = 0
    var deleted = 0
  }

  /// Applies a payload to a model.
  static func apply(
    _ payload: [PayloadNode], _ policies: Policies, without dropped: Set<String> = [], to model: inout Model
  ) -> (node: Counts, tag: Counts) {
    let before = model
    var run = ModelImport(model: model, policies: policies, dropped: dropped)
    for root in payload { run.visit(root) }
    run.notes = run.model.nodes.mapValues(\.notes)
    run.model.sweep(run.candidates, sparing: run.met, policies)
    model = run.model
    return run.counts(since: before)
  }

  private init(model: Model, policies: Policies, dropped: Set<String>) {
    self.model = model
    self.policies = policies
    self.dropped = dropped
  }

  // MARK: Objects

  private mutating func meet(_ key: PrimaryKey) {
    met.insert(.node(key))
    guard model.nodes[key] == nil else { return }
    let id: Value =
      switch key {
      case .integer(let number): .integer(number)
      case .string(let text): .string(text)
      }
    model.nodes[key] = Model.Node(values: ["id": id])
  }

  private mutating func meet(_ tag: PayloadTag) -> PrimaryKey {
    let key = PrimaryKey.string(tag.name)
    met.insert(.tag(key))
    var values = model.tags[key] ?? ["name": .string(tag.name)]
    Self.set("rank", tag.rank, in: &values) { .integer($0) }
    model.tags[key] = values
    return key
  }

  private static func set<Content>(
    _ name: String, _ member: Member<Content>, in values: inout [String: Value], _ value: (Content) -> Value
  ) {
    switch member {
    case .missing: break
    case .null: values[name] = nil
    case .given(let content): values[name] = value(content)
    }
  }

  private func mapped<Content>(_ name: String, _ member: Member<Content>) -> Member<Content> {
    dropped.contains(name) ? .missing : member
  }

  /// Visits an object before the objects in it, in the order of the text.
  private mutating func visit(_ payload: PayloadNode) {
    meet(payload.key)
    guard var node = model.nodes[payload.key] else { return }
    Self.set("name", mapped("name", payload.name), in: &node.values) { .string($0) }
    Self.set("size", mapped("size", payload.size), in: &node.values) { .integer($0) }
    Self.set("ratio", mapped("ratio", payload.ratio), in: &node.values) { .number($0) }
    Self.set("flag", mapped("flag", payload.flag), in: &node.values) { .boolean($0) }

    node.parent = one(node.parent, payload.parent, .parent) { .node($0) }
    node.friends = many(node.friends, payload.friends, .friends) { .node($0) }
    node.kids = many(node.kids, payload.kids.map { $0.map(\.key) }, .kids) { .node($0) }
    node.tag = one(node.tag, payload.tag.map { .string($0.name) }, .tag) { .tag($0) }
    node.tags = many(node.tags, payload.tags.map { $0.map { .string($0.name) } }, .tags) { .tag($0) }
    node.notes = owned(node.notes, payload.notes)
    switch payload.box {
    case .missing: break
    case .null: if policies[.box] != .merge { node.box = nil }
    case .given(let box): node.box = filled(node.box ?? .init(), box)
    }
    model.nodes[payload.key] = node

    if let key = payload.parent.content { meet(key) }
    for key in payload.friends.content ?? [] { meet(key) }
    for kid in payload.kids.content ?? [] { visit(kid) }
    if let tag = payload.tag.content { _ = meet(tag) }
    for tag in payload.tags.content ?? [] { _ = meet(tag) }
    for note in payload.notes.content ?? [] {
      if let key = note.about.content { meet(key) }
    }
  }

  // MARK: Relationships

  private mutating func letGo(
    _ old: [PrimaryKey], _ new: [PrimaryKey], _ link: Link, _ make: (PrimaryKey) -> Model.Reference
  ) {
    guard policies[link] == .replace else { return }
    candidates.formUnion(Set(old).subtracting(new).map(make))
  }

  private mutating func one(
    _ old: PrimaryKey?, _ member: Member<PrimaryKey>, _ link: Link, _ make: (PrimaryKey) -> Model.Reference
  ) -> PrimaryKey? {
    let new: PrimaryKey?
    switch member {
    case .missing: return old
    case .null:
      if policies[link] == .merge { return old }
      new = nil
    case .given(let key): new = key
    }
    letGo(old.map { [$0] } ?? [], new.map { [$0] } ?? [], link, make)
    return new
  }

  private mutating func many(
    _ old: [PrimaryKey], _ member: Member<[PrimaryKey]>, _ link: Link, _ make: (PrimaryKey) -> Model.Reference
  ) -> [PrimaryKey] {
    if case .missing = member { return old }
    let given = member.content ?? []
    if policies[link] == .merge {
      var new = old
      var known = Set(old)
      for key in given where known.insert(key).inserted { new.append(key) }
      return new
    }
    letGo(old, given, link, make)
    return given
  }

  private func owned(_ old: [Model.Note], _ member: Member<[PayloadNote]>) -> [Model.Note] {
    if case .missing = member { return old }
    let given = (member.content ?? []).map { filled(.init(), $0) }
    guard policies[.notes] == .merge else { return given }
    var new = old
    for note in given where !new.contains(note) { new.append(note) }
    return new
  }

  private func filled(_ old: Model.Note, _ payload: PayloadNote) -> Model.Note {
    var note = old
    Self.set("text", payload.text, in: &note.values) { .string($0) }
    switch payload.about {
    case .missing: break
    case .null: note.about = nil
    case .given(let key): note.about = key
    }
    return note
  }

  // MARK: The report

  private func counts(since old: Model) -> (node: Counts, tag: Counts) {
    var node = Counts()
    var tag = Counts()
    for reference in met {
      switch reference {
      case .node(let key):
        guard let before = old.nodes[key] else { node.inserted += 1; continue }
        if let now = model.nodes[key], Self.isSame(before, now), before.notes == notes[key] {
          node.unchanged += 1
        } else {
          node.updated += 1
        }
      case .tag(let key):
        guard let before = old.tags[key] else { tag.inserted += 1; continue }
        if before == model.tags[key] { tag.unchanged += 1 } else { tag.updated += 1 }
      }
    }
    node.deleted = old.nodes.keys.count { model.nodes[$0] == nil }
    tag.deleted = old.tags.keys.count { model.tags[$0] == nil }
    return (node, tag)
  }

  /// Whether an object is unchanged, without the objects that it owns.
  private static func isSame(_ old: Model.Node, _ new: Model.Node) -> Bool {
    old.values == new.values && old.parent == new.parent && old.friends == new.friends && old.kids == new.kids
      && old.tag == new.tag && old.tags == new.tags && (old.box == nil) == (new.box == nil)
  }
}

extension Member {
  func map<Other>(_ transform: (Content) -> Other) -> Member<Other> {
    switch self {
    case .missing: .missing
    case .null: .null
    case .given(let content): .given(transform(content))
    }
  }
}
