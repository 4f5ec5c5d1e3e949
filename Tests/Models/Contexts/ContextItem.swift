package import FastMapCore
internal import FastMapStoreTesting

/// An object without a key, which belongs to its item.
package final class ContextNote {
  package var text: String?

  package init() {}

  package static let mapping: Mapping<ContextNote> = Mapping(
    ContextNote.self, "Note", make: { ContextNote() }
  ) { Attribute("text", \.text) }

  /// The same as a record.
  package static let record: Mapping<Record> = Mapping("Note") { Attribute("text", .string) }
}

/// An object with a reference and a list of others like it, and with notes of its own. It knows who refers to it.
package final class ContextItem {
  package var id = 0
  package var name: String?
  package var rank: Int?
  package var next: ContextItem?
  package var friends: [ContextItem] = []
  package var notes: [ContextNote] = []
  package var followers: [ContextItem] = []
  package var fans: [ContextItem] = []

  package init() {}

  package static let mapping: Mapping<ContextItem> = Mapping(
    ContextItem.self, "Item", primaryKey: "id", make: { ContextItem() }
  ) {
    Attribute("id", \.id)
    Attribute("name", \.name)
    Attribute("rank", \.rank)
    ToOne("next", \.next, ContextItem.mapping)
    ToMany("friends", \.friends, ContextItem.mapping)
    ToMany("notes", \.notes, ContextNote.mapping)
    ToMany("followers", \.followers, inverseOf: \.next, of: ContextItem.mapping)
    ToMany("fans", \.fans, inverseOf: \.friends, of: ContextItem.mapping)
  }

  /// The same as a record.
  package static let record: Mapping<Record> = Mapping("Item", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
    Attribute("rank", .integer)
    ToOne("next", record)
    ToMany("friends", record)
    ToMany("notes", ContextNote.record)
    ToMany("followers", inverseOf: "next", of: record)
    ToMany("fans", inverseOf: "friends", of: record)
  }
}

/// An inverse of an item, by its name.
enum ContextInverse: String, CaseIterable { case followers, fans }

/// A note of a run: an instance, or a record.
protocol NoteInContext: AnyObject {
  var text: String? { get set }
}

extension ContextNote: NoteInContext {}

/// An object of a run: an instance, or a record.
protocol ItemInContext: AnyObject {
  var number: Int { get }
  var name: String? { get set }
  var rank: Int? { get set }
  /// The key of the target; nil if it has none or is not loaded.
  var nextNumber: Int? { get }
  var friendNumbers: [Int] { get }
  var shownNotes: [any NoteInContext] { get }
  func set(next: (any ItemInContext)?) throws
  func set(friends: [any ItemInContext]) throws
  func set(notes: [any NoteInContext]) throws
  func hasNext(_ context: ObjectContext) throws -> Bool
  func hasFriends(_ context: ObjectContext) throws -> Bool
  func hasNotes(_ context: ObjectContext) throws -> Bool
  func loadNotes(_ context: ObjectContext) throws
  /// The keys of the objects of an inverse; nil if it says that it is not loaded.
  func numbers(_ inverse: ContextInverse) -> [Int]?
  func has(_ inverse: ContextInverse, _ context: ObjectContext) throws -> Bool
  func load(_ inverse: ContextInverse, _ context: ObjectContext) throws
}

extension ContextItem: ItemInContext {
  var number: Int { id }
  var nextNumber: Int? { next?.id }
  var friendNumbers: [Int] { friends.map(\.id) }
  func set(next: (any ItemInContext)?) { self.next = next as? ContextItem }
  func set(friends: [any ItemInContext]) {
    self.friends = friends.compactMap { $0 as? ContextItem }
  }
  func hasNext(_ context: ObjectContext) throws -> Bool {
    try context.isLoaded(\.next, of: self)
  }
  func hasFriends(_ context: ObjectContext) throws -> Bool {
    try context.isLoaded(\.friends, of: self)
  }
  var shownNotes: [any NoteInContext] { notes }
  func set(notes: [any NoteInContext]) { self.notes = notes.compactMap { $0 as? ContextNote } }
  func hasNotes(_ context: ObjectContext) throws -> Bool { try context.isLoaded(\.notes, of: self) }
  func loadNotes(_ context: ObjectContext) throws { try context.load(\.notes, of: [self]) }
  func numbers(_ inverse: ContextInverse) -> [Int]? {
    (inverse == .followers ? followers : fans).map(\.id)
  }
  func has(_ inverse: ContextInverse, _ context: ObjectContext) throws -> Bool {
    try inverse == .followers
      ? context.isLoaded(\.followers, of: self) : context.isLoaded(\.fans, of: self)
  }
  func load(_ inverse: ContextInverse, _ context: ObjectContext) throws {
    _ = try inverse == .followers ? context.load(\.followers, of: [self]) : context.load(\.fans, of: [self])
  }
}

extension EditableRecord: ItemInContext, NoteInContext {
  private func number(_ value: Value?) -> Int? {
    if case .integer(let value)? = value { Int(value) } else { nil }
  }
  var number: Int { number(self["id"]) ?? 0 }
  var name: String? {
    get { if case .string(let text)? = self["name"] { text } else { nil } }
    set { self["name"] = newValue.map { .string($0) } }
  }
  var rank: Int? {
    get { number(self["rank"]) }
    set { self["rank"] = newValue.map { .integer(Int64($0)) } }
  }
  var nextNumber: Int? { (try? target("next"))?.number }
  var friendNumbers: [Int] { ((try? targets("friends")) ?? []).map(\.number) }
  func set(next: (any ItemInContext)?) throws { try set("next", to: next) }
  func set(friends: [any ItemInContext]) throws { try set("friends", to: friends) }
  func hasNext(_ context: ObjectContext) throws -> Bool { try context.isLoaded("next", of: self) }
  func hasFriends(_ context: ObjectContext) throws -> Bool {
    try context.isLoaded("friends", of: self)
  }
  var text: String? {
    get { if case .string(let text)? = self["text"] { text } else { nil } }
    set { self["text"] = newValue.map { .string($0) } }
  }
  var shownNotes: [any NoteInContext] { (try? targets("notes")) ?? [] }
  func set(notes: [any NoteInContext]) throws { try set("notes", to: notes) }
  func hasNotes(_ context: ObjectContext) throws -> Bool { try context.isLoaded("notes", of: self) }
  func loadNotes(_ context: ObjectContext) throws { try context.load(["notes"], of: [self]) }
  func numbers(_ inverse: ContextInverse) -> [Int]? { (try? targets(inverse.rawValue))?.map(\.number) }
  func has(_ inverse: ContextInverse, _ context: ObjectContext) throws -> Bool {
    try context.isLoaded(inverse.rawValue, of: self)
  }
  func load(_ inverse: ContextInverse, _ context: ObjectContext) throws {
    try context.load([inverse.rawValue], of: [self])
  }
}
