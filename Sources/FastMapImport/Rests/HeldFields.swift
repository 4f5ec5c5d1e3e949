/// The fields that read members of a rest, as a store remembers them.
///
///     [["Order", "discount", "pending"], ["Order", "customer", "left"]]
struct HeldFields: Equatable {
  struct Name: Hashable {
    let entity: ByteName
    let field: ByteName

    init(_ entity: String, _ field: String) {
      (self.entity, self.field) = (ByteName(entity), ByteName(field))
    }
  }

  /// A preparation adds the field, and no write has moved its values yet.
  private(set) var pending: Set<Name> = []
  /// Some objects had values that the field cannot hold when the others were moved.
  private(set) var left: Set<Name> = []

  init<R: StoreReader>(in reader: inout R) throws {
    guard var texts = reader as? any TextReader, let text = try texts.text(.rests),
      case .list(let entries) = try JSONTree(parsing: text)
    else { return }
    for case .list(let words) in entries {
      let words = words.compactMap(\.text)
      guard words.count == 3 else { continue }
      insert(Name(words[0], words[1]), isPending: words[2] == "pending")
    }
  }

  mutating func insert(_ name: Name, isPending: Bool) {
    if isPending { pending.insert(name) } else { left.insert(name) }
  }

  /// Takes in that values of a field were moved.
  mutating func settle(_ name: Name, isLeft: Bool) {
    pending.remove(name)
    if isLeft { left.insert(name) }
  }

  /// - Returns: False if the store keeps no texts.
  @discardableResult
  func write<W: StoreWriter>(to writer: inout W) throws -> Bool {
    guard var texts = writer as? any TextWriter else { return false }
    let entries = pending.map { ($0, "pending") } + left.map { ($0, "left") }
    let words = entries.map { [$0.entity.text, $0.field.text, $1] }
      .sorted { $0.lexicographicallyPrecedes($1) }
    let tree = JSONTree.list(words.map { .list($0.map { .string($0) }) })
    try texts.keep(Array(tree.line.utf8), as: .rests)
    if let kept = texts as? W { writer = kept }
    return true
  }
}
