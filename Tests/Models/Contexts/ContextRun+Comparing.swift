import FastMapCore
import FastMapStoreTesting

/// Comparing a store and a context with the model.
extension ContextRun {
  func failure(_ text: String) -> Failure {
    Failure(reason: "\(text), after:\n\(steps.joined(separator: "\n"))")
  }

  /// Compares the store with the model: after each step that writes, and at the end.
  func checkStore() throws {
    let (stored, texts, count) = try store.read(plan) { snapshot in
      let records = try snapshot.records("Item")
      let keys = Dictionary(uniqueKeysWithValues: records.map { ($0.id, Self.integer($0.key)) })
      let notes = try snapshot.records("Note")
      let noteTexts = Dictionary(uniqueKeysWithValues: notes.map { ($0.id, $0["text"]) })
      let fields = records.map { record in
        var fields = ContextModel.Fields()
        if case .string(let name)? = record["name"] { fields.name = name }
        if case .integer(let rank)? = record["rank"] { fields.rank = Int(rank) }
        fields.next = record.target("next").flatMap { keys[$0] }
        fields.friends = record.targets("friends").compactMap { keys[$0] }
        return (Self.integer(record.key), fields)
      }
      let texts = records.map { record in
        (Self.integer(record.key), record.targets("notes").map { Self.text(noteTexts[$0] ?? nil) })
      }
      return (
        Dictionary(uniqueKeysWithValues: fields), Dictionary(uniqueKeysWithValues: texts), notes.count
      )
    }
    let expected = model.stored.mapValues { fields in
      ContextModel.Fields(name: fields.name, rank: fields.rank, next: fields.next, friends: fields.friends)
    }
    for key in Set(stored.keys).union(expected.keys).sorted() where stored[key] != expected[key] {
      throw failure("the store has \(key) as \(stored[key] as Any), expected \(expected[key] as Any)")
    }
    let notes = model.stored.mapValues { $0.notes.map { model.notes.stored[$0] ?? nil } }
    if texts != notes { throw failure("the store has the notes \(texts), expected \(notes)") }
    if count != model.notes.stored.count {
      throw failure("the store has \(count) notes, expected \(model.notes.stored.count)")
    }
  }

  /// Compares all instances with the model.
  mutating func checkContext() throws {
    for (key, shown) in model.shown.sorted(by: { $0.key < $1.key }) {
      if items[key] == nil || (!shown.isNew && !isKnown(key)) { items[key] = instance(key) }
      guard let item = items[key] else { throw failure("the context does not have \(key)") }
      var found = ContextModel.Fields(
        name: item.name, rank: item.rank, next: item.nextNumber, friends: item.friendNumbers)
      try checkNotes(of: key, item, shown)
      found.notes = shown.mine.notes
      if found != shown.mine { throw failure("\(key) shows \(found), expected \(shown.mine)") }
      guard !shown.isNew else { continue }
      if (try? item.hasNext(context)) != shown.hasNext { throw failure("\(key).next") }
      if (try? item.hasFriends(context)) != shown.hasFriends { throw failure("\(key).friends") }
      if (try? item.hasNotes(context)) != shown.hasNotes { throw failure("\(key).notes") }
      for inverse in ContextInverse.allCases {
        let (found, expected) = (item.numbers(inverse), shown.inverses[inverse])
        if found != (hasRecords ? expected : expected ?? []) {
          throw failure("\(key).\(inverse) shows \(found as Any), expected \(expected as Any)")
        }
        if (try? item.has(inverse, context)) != (expected != nil) { throw failure("\(key).\(inverse)") }
      }
    }
    items = items.filter { model.shown[$0.key] != nil }
    noteItems = noteItems.filter { model.notes.shown[$0.key] != nil }
  }

  private mutating func checkNotes(
    of key: Int, _ item: any ItemInContext, _ shown: ContextModel.Shown
  ) throws {
    let found = item.shownNotes
    let expected = shown.mine.notes.map { model.notes.shown[$0]?.mine }
    if found.map(\.text) != expected {
      throw failure("\(key) shows the notes \(found.map(\.text)), expected \(expected)")
    }
    for (number, note) in zip(shown.mine.notes, found) {
      if let known = noteItems[number], known !== note { throw failure("\(key) has another note \(number)") }
      noteItems[number] = note
    }
  }

  private static func text(_ value: Value?) -> String? {
    if case .string(let text)? = value { text } else { nil }
  }

  private static func integer(_ key: PrimaryKey?) -> Int {
    if case .integer(let value)? = key { Int(value) } else { 0 }
  }

  private func isKnown(_ key: Int) -> Bool {
    items[key].map { (try? $0.hasNext(context)) != nil } ?? false
  }

  /// The instance of the context with a key, without reading it.
  private func instance(_ key: Int) -> (any ItemInContext)? {
    context.instances.lazy.compactMap { $0 as? any ItemInContext }.first { $0.number == key }
  }
}
