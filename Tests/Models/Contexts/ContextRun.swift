import FastMapCore
import FastMapStoreTesting

/// A store, a context and the model of both.
struct ContextRun {
  let store: any Store
  let context: ObjectContext
  let plan: Plan
  let hasRecords: Bool
  var model = ContextModel()
  /// The instances of the context, by key.
  package var items: [Int: any ItemInContext] = [:]
  var noteItems: [Int: any NoteInContext] = [:]
  var random: SplitMix
  var lastKey = 12
  var steps: [String] = []

  init(_ store: any Store, hasRecords: Bool, _ random: SplitMix) throws {
    self.store = store
    self.hasRecords = hasRecords
    plan = hasRecords ? try ContextItem.record.plan() : try ContextItem.mapping.plan()
    context = try ObjectContext(store, for: plan)
    self.random = random
    let objects = (1...lastKey).map { ($0, fields(of: Array(1...lastKey)), noteTexts()) }
    for (key, fields, notes) in objects { model.setStored(key, fields, notes: notes) }
    try write(objects)
  }

  mutating func fields(of keys: [Int]) -> ContextModel.Fields {
    func some(_ count: Int) -> [Int] { (0..<count).map { _ in keys[random.next(keys.count)] } }
    return .init(
      name: random.next(3) == 0 ? nil : "n\(random.next(9))",
      rank: random.next(3) == 0 ? nil : random.next(9),
      next: random.next(2) == 0 ? nil : some(1)[0], friends: some(random.next(4)))
  }

  mutating func noteTexts() -> [String] { (0..<random.next(4)).map { _ in "t\(random.next(9))" } }

  private func write(_ objects: [(key: Int, fields: ContextModel.Fields, notes: [String])]) throws {
    let texts = objects.map { key, fields, notes in
      #"{"id":\#(key),"name":\#(fields.name.map { "\"\($0)\"" } ?? "null"),"#
        + #""rank":\#(fields.rank.map { "\($0)" } ?? "null"),"next":\#(fields.next.map { "\($0)" } ?? "null"),"#
        + #""friends":\#(fields.friends),"notes":[\#(notes.map { #"{"text":"\#($0)"}"# }.joined(separator: ","))]}"#
    }
    _ = try Mapper(store).importJSON("[\(texts.joined(separator: ","))]", as: plan)
  }

  mutating func pick(_ keys: some Collection<Int>) -> Int? {
    let sorted = keys.sorted()
    return sorted.isEmpty ? nil : sorted[random.next(sorted.count)]
  }

  /// Does one thing at random, and compares.
  ///
  /// - Throws: ``Failure``, with all steps.
  mutating func step() throws {
    do { try take() } catch let failure as Failure { throw failure } catch { throw failure("\(error)") }
  }

  /// The same, with imports and saves that are awaited, and edits meanwhile.
  @MainActor
  mutating func awaitingStep() async throws {
    do {
      switch random.next(6) {
      case 0, 1: try await importAwaiting()
      case 2: try await saveAwaiting()
      default: return try step()
      }
      try checkStore()
      try checkContext()
    } catch let failure as Failure { throw failure } catch { throw failure("\(error)") }
  }

  private mutating func take() throws {
    switch random.next(16) {
    case 0..<3: try read()
    case 3..<8: try edit()
    case 8: try insert()
    case 9:
      guard let key = pick(model.shown.filter { !$0.value.isNew }.keys), let item = items[key] else {
        return
      }
      // Deleting an item with edited or new notes has no clear outcome.
      if model.shown[key]?.mine.notes.contains(where: isEdited) ?? false { return }
      if model.moves.contains(key) || model.hasNewLink(to: key) { return }
      steps.append("delete \(key)")
      try context.delete(item)
      model.shown[key]?.isDeleted = true
    case 10:
      try writeByOthers()
      try checkStore()
    case 11:
      steps.append("refresh")
      try context.refreshAll()
      model.refresh()
    case 12 where random.next(2) == 0: try rollBackOne()
    case 12:
      steps.append("roll back")
      try context.rollBack()
      model.rollBack()
    case 13, 14:
      try importIntoContext()
      try checkStore()
    default:
      try save()
      try checkStore()
    }
    try checkContext()
  }

  /// Ends the context, which leaves the store as it is.
  func end() throws {
    context.end()
    try checkStore()
  }

  private mutating func read() throws {
    guard let key = pick(1...lastKey) else { return }
    let (next, friends, notes) = (random.next(2) == 0, random.next(2) == 0, random.next(2) == 0)
    steps.append("read \(key) \(next) \(friends) \(notes)")
    let item = try read(key, next, friends)
    if (item == nil) != (model.stored[key] == nil) {
      throw failure("reading \(key) gives \(item as Any)")
    }
    if notes { try item?.loadNotes(context) }
    model.read(key, next: next, friends: friends, notes: notes)
    for inverse in ContextInverse.allCases where random.next(3) == 0 {
      steps.append("read \(key).\(inverse)")
      try item?.load(inverse, context)
      model.read(inverse, of: key)
    }
  }

  private func read(_ key: Int, _ next: Bool, _ friends: Bool) throws -> (any ItemInContext)? {
    let primary = PrimaryKey(key)
    if hasRecords {
      return try context.record(
        "Item", key: primary, including: (next ? ["next"] : []) + (friends ? ["friends"] : []))
    }
    switch (next, friends) {
    case (true, true):
      return try context.object(ContextItem.mapping, key: primary, including: \.next, \.friends)
    case (true, false): return try context.object(ContextItem.mapping, key: primary, including: \.next)
    case (false, true): return try context.object(ContextItem.mapping, key: primary, including: \.friends)
    case (false, false): return try context.object(ContextItem.mapping, key: primary)
    }
  }

  private mutating func edit() throws {
    // A save refuses edits of deleted objects, and new links to them.
    let present = model.shown.filter { !$0.value.isDeleted }.keys
    guard let key = pick(present), let item = items[key], let shown = model.shown[key] else { return }
    let target = pick(present) ?? key
    switch random.next(8) {
    case 5..<8:
      try editNotes(of: key, item, shown)
    case 0:
      item.name = random.next(3) == 0 ? nil : "m\(random.next(9))"
      model.shown[key]?.mine.name = item.name
    case 1:
      item.rank = random.next(3) == 0 ? nil : random.next(9)
      model.shown[key]?.mine.rank = item.rank
    case 2:
      let isNull = random.next(2) == 0 && (shown.hasNext || shown.isNew)
      try item.set(next: isNull ? nil : items[target])
      model.shown[key]?.mine.next = isNull ? nil : target
    default:
      guard shown.hasFriends || shown.isNew else { return }
      // One that has left the context is no target.
      var friends = shown.mine.friends.filter { items[$0] != nil }
      switch random.next(4) {
      case 0: friends.append(target)
      case 1: friends = []
      case 2: friends.reverse()
      default: if !friends.isEmpty { friends.removeFirst() }
      }
      try item.set(friends: friends.compactMap { items[$0] })
      model.shown[key]?.mine.friends = friends
    }
    steps.append("edit \(key) to \(model.shown[key]?.mine as Any)")
  }

  private func isEdited(_ note: Int) -> Bool {
    model.notes.shown[note].map { $0.isNew || $0.isEdited } ?? false
  }

  private mutating func editNotes(
    of key: Int, _ item: any ItemInContext, _ shown: ContextModel.Shown
  ) throws {
    guard shown.hasNotes || shown.isNew, !shown.isDeleted else { return }
    var notes = shown.mine.notes
    switch random.next(5) {
    case 4:
      guard let number = pick(notes), try moveNote(number, from: key) else { return }
      notes.removeAll { $0 == number }
    case 0:
      let (number, text) = (model.notes.next(), "o\(random.next(9))")
      let note: any NoteInContext = hasRecords ? try context.insert("Note") : ContextNote()
      note.text = text
      noteItems[number] = note
      model.notes.shown[number] = .init(mine: text, isNew: true)
      notes.append(number)
    case 1: notes.reverse()
    case 2:
      guard let number = notes.first else { return }
      // Taking out an edited note has no clear outcome.
      if model.notes.shown[number]?.isEdited ?? true { return }
      notes.removeFirst()
      if model.notes.shown[number]?.isNew ?? false {
        if let record = noteItems[number] as? EditableRecord { try context.delete(record) }
        model.notes.shown[number] = nil
      }
    default:
      // A save refuses edits of notes that are gone.
      guard let number = pick(notes), let note = noteItems[number], model.notes.shown[number]?.isGone != true
      else { return }
      note.text = random.next(3) == 0 ? nil : "p\(random.next(9))"
      model.notes.shown[number]?.mine = note.text
    }
    try item.set(notes: notes.compactMap { noteItems[$0] })
    model.shown[key]?.mine.notes = notes
  }

  /// Gives a note to another object.
  ///
  /// - Returns: Whether there is one.
  private mutating func moveNote(_ number: Int, from key: Int) throws -> Bool {
    let others = model.shown.filter { other, shown in
      other != key && !shown.isDeleted && (shown.hasNotes || shown.isNew) && items[other] != nil
    }
    guard let owner = pick(others.keys) else { return false }
    let notes = (others[owner]?.mine.notes ?? []) + [number]
    steps.append("move the note \(number) to \(owner)")
    try items[owner]?.set(notes: notes.compactMap { noteItems[$0] })
    model.shown[owner]?.mine.notes = notes
    return true
  }

  private mutating func rollBackOne() throws {
    guard let key = pick(model.shown.filter { !$0.value.isNew }.keys), let item = items[key] else { return }
    // An item with edited, new or moved notes has no clear outcome.
    if model.shown[key]?.mine.notes.contains(where: isEdited) ?? false || model.moves.contains(key) { return }
    steps.append("roll back \(key)")
    try context.rollBack(item)
    model.rollBack(key)
  }

  private mutating func insert() throws {
    lastKey += 1
    steps.append("insert \(lastKey)")
    if hasRecords {
      items[lastKey] = try context.insert("Item", ["id": .integer(Int64(lastKey))])
    } else {
      let item = ContextItem()
      item.id = lastKey
      items[lastKey] = item
      try context.insert(item, as: ContextItem.mapping)
    }
    model.shown[lastKey] = .init(isNew: true)
  }

  private mutating func writeByOthers() throws {
    guard var key = pick(model.stored.keys) else { return }
    if random.next(3) == 0 {
      let edited = model.shown.filter { model.stored[$0.key] != nil && $0.value.mine != $0.value.read }
      if random.next(2) == 0, let other = pick(edited.keys) { key = other }
      steps.append("others delete \(key)")
      try store.delete(plan, key: key)
      model.deleteStored([key])
    } else {
      let (fields, notes) = (fields(of: model.stored.keys.sorted()), noteTexts())
      steps.append("others set \(key) to \(fields), notes \(notes)")
      try write([(key, fields, notes)])
      model.setStored(key, fields, notes: notes)
    }
  }

  private mutating func save() throws {
    let save = makeSave()
    try take(save, Result { _ = try context.save(onConflict: save.rule) })
  }

  @MainActor
  private mutating func saveAwaiting() async throws {
    let edits = makeEditsMeanwhile()
    let save = makeSave(edits)
    let editing = startEdits(edits)
    let result: Result<Void, any Error>
    do {
      try await context.save(onConflict: save.rule)
      result = .success(())
    } catch { result = .failure(error) }
    try await editing.value
    try take(save, result)
    if !save.succeeds { model.take(edits) }
  }

  /// A save, and the model after it if it succeeds.
  private struct Save {
    let rule: ConflictRule
    let after: ContextModel
    let succeeds: Bool
  }

  /// - Parameter edits: The edits made while the save waits.
  private mutating func makeSave(_ edits: [ContextMeanwhile] = []) -> Save {
    var choice = [ContextModel.Choice.fail, .mine, .theirs][random.next(3)]
    // A moved note has no clear outcome if one of its owners takes the other writer's notes.
    if model.hasMoveConflict { choice = .fail }
    let rule = choice == .fail ? ConflictRule.fail : choice == .mine ? .mine : .theirs
    steps.append("save \(choice)")
    var after = model
    let succeeds = after.save(choice, insertsNotes: hasRecords, edits)
    return Save(rule: rule, after: after, succeeds: succeeds)
  }

  private mutating func take(_ save: Save, _ result: Result<Void, any Error>) throws {
    do {
      try result.get()
      if !save.succeeds { throw failure("the save should fail") }
    } catch let error as SaveConflictError {
      if save.succeeds { throw failure("the save should succeed: \(error)") }
    }
    if save.succeeds { model = save.after }
  }
}
