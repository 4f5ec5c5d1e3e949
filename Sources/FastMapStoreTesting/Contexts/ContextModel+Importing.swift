/// An object of a payload, with some of its fields.
struct ContextPayload {
  enum Field: CaseIterable { case name, rank, next, friends, notes }

  let key: Int
  let has: Set<Field>
  let fields: ContextModel.Fields
  let notes: [String]

  var json: String {
    var members = [#""id":\#(key)"#]
    if has.contains(.name) { members.append(#""name":\#(fields.name.map { "\"\($0)\"" } ?? "null")"#) }
    if has.contains(.rank) { members.append(#""rank":\#(fields.rank.map { "\($0)" } ?? "null")"#) }
    if has.contains(.next) { members.append(#""next":\#(fields.next.map { "\($0)" } ?? "null")"#) }
    if has.contains(.friends) { members.append(#""friends":\#(fields.friends)"#) }
    if has.contains(.notes) {
      let texts = notes.map { #"{"text":"\#($0)"}"# }
      members.append(#""notes":[\#(texts.joined(separator: ","))]"#)
    }
    return "{\(members.joined(separator: ","))}"
  }
}

/// Imports into the context.
extension ContextModel {
  /// The side that wins an edited field of the payload.
  private enum Outcome { case mine, theirs }

  /// - Parameters:
  ///   - insertsNotes: Whether new notes are inserted into the context, as records are.
  ///   - edits: The edits made while the import waits. They are in no conflict, and all of them stay.
  /// - Returns: The number of conflicts; nil if the import fails.
  mutating func take(
    _ payload: [ContextPayload], _ choice: Choice, insertsNotes: Bool, _ edits: [ContextMeanwhile] = []
  ) -> Int? {
    var after = self
    for object in payload { after.store(object) }
    var conflicts = 0
    func outcome<V: Equatable>(_ mine: V, _ now: V) -> Outcome {
      if mine == now { return .mine }
      conflicts += 1
      return choice == .theirs ? .theirs : .mine
    }
    let deleted = Set(shown.filter { $0.value.isDeleted }.keys)
    var outcomes: [Int: [ContextPayload.Field: Outcome]] = [:]
    var noteOutcomes: [Int: Outcome] = [:]
    for object in payload {
      guard let now = after.stored[object.key] else { continue }
      if object.has.contains(.notes) {
        for number in now.notes {
          guard let note = notes.shown[number], note.isEdited else { continue }
          noteOutcomes[number] = outcome(note.mine, after.notes.stored[number] ?? nil)
        }
      }
      // Edits of notes that the import deletes are lost.
      conflicts += (stored[object.key]?.notes ?? []).count { number in
        after.notes.stored[number] == nil && notes.shown[number]?.isEdited ?? false
      }
      guard let item = shown[object.key], !item.isDeleted else { continue }
      // All values of a new object are edits.
      var (read, mine) = (item.isNew ? Fields() : item.read, item.mine)
      read.remove(deleted)
      mine.remove(deleted)
      for field in object.has {
        switch field {
        case .name:
          if mine.name != read.name {
            outcomes[object.key, default: [:]][field] = outcome(mine.name, now.name)
          }
        case .rank:
          if mine.rank != read.rank {
            outcomes[object.key, default: [:]][field] = outcome(mine.rank, now.rank)
          }
        case .next:
          if mine.next != read.next {
            outcomes[object.key, default: [:]][field] = outcome(item.mine.next, now.next)
          }
        case .friends:
          if mine.friends != read.friends {
            outcomes[object.key, default: [:]][field] = outcome(item.mine.friends, now.friends)
          }
        case .notes:
          if mine.notes != read.notes {
            outcomes[object.key, default: [:]][field] = outcome(mine.notes, now.notes)
          }
        }
      }
    }
    if choice == .fail, conflicts > 0 { return nil }
    for edit in edits where outcomes[edit.key]?[edit.field] == .theirs {
      outcomes[edit.key]?[edit.field] = .mine
    }
    after.take(edits)
    let goneNotes = Set(notes.stored.keys.filter { after.notes.stored[$0] == nil })
    after.show(payload, outcomes, noteOutcomes, without: goneNotes)
    if !insertsNotes { after.forgetUnlisted() }
    self = after
    return conflicts
  }

  private mutating func store(_ object: ContextPayload) {
    let old = stored[object.key] ?? Fields()
    var fields = object.has.contains(.notes) ? object.fields : old
    fields.name = object.has.contains(.name) ? object.fields.name : old.name
    fields.rank = object.has.contains(.rank) ? object.fields.rank : old.rank
    fields.next = object.has.contains(.next) ? object.fields.next : old.next
    fields.friends = object.has.contains(.friends) ? object.fields.friends : old.friends
    fields.notes = object.has.contains(.notes) ? notes.set(old.notes, to: object.notes) : old.notes
    stored[object.key] = fields
  }

  private mutating func show(
    _ payload: [ContextPayload], _ outcomes: [Int: [ContextPayload.Field: Outcome]],
    _ noteOutcomes: [Int: Outcome], without deleted: Set<Int>
  ) {
    for (key, fields) in outcomes where shown[key]?.isNew == false {
      for (field, outcome) in fields where outcome == .theirs { giveUp(field, of: key) }
    }
    for (number, outcome) in noteOutcomes where outcome == .theirs {
      let read = notes.shown[number]?.read
      notes.shown[number]?.mine = read
    }
    forget(deleted)
    for object in payload {
      guard let item = shown[object.key], item.isNew, let now = stored[object.key] else { continue }
      shown[object.key] = adopted(item.mine, now, outcomes[object.key] ?? [:])
    }
    let kept = shown
    refresh()
    for (key, fields) in outcomes {
      guard let now = stored[key] else { continue }
      for (field, outcome) in fields where outcome == .mine {
        // A value that was put back meanwhile is the caller's, too.
        if let mine = kept[key]?.mine { shown[key]?.mine.take(field, of: mine) }
        if field == .next {
          shown[key]?.rowNext = now.next
          if !(shown[key]?.hasNext ?? false) { continue }
        }
        shown[key]?.read.take(field, of: now)
      }
    }
    for (number, outcome) in noteOutcomes where outcome == .mine {
      let now = notes.stored[number] ?? nil
      notes.shown[number]?.read = now
    }
    readTargets()
  }

  /// Forgets the notes that the import has deleted.
  private mutating func forget(_ deleted: Set<Int>) {
    for key in shown.keys {
      shown[key]?.read.notes.removeAll { deleted.contains($0) }
      shown[key]?.mine.notes.removeAll { deleted.contains($0) }
    }
    notes.remove(deleted)
  }

  private mutating func giveUp(_ field: ContextPayload.Field, of key: Int) {
    if let read = shown[key]?.read { shown[key]?.mine.take(field, of: read) }
    // It is loaded, to show the stored target.
    if field == .next { shown[key]?.hasNext = true }
  }

  /// A new object that has become an object of the payload. Its set values stay.
  private func adopted(
    _ own: Fields, _ now: Fields, _ outcomes: [ContextPayload.Field: Outcome]
  ) -> Shown {
    var mine = now
    if own.name != nil, outcomes[.name] != .theirs { mine.name = own.name }
    if own.rank != nil, outcomes[.rank] != .theirs { mine.rank = own.rank }
    if own.next != nil, outcomes[.next] != .theirs { mine.next = own.next }
    if !own.friends.isEmpty, outcomes[.friends] != .theirs { mine.friends = own.friends }
    if !own.notes.isEmpty, outcomes[.notes] != .theirs { mine.notes = own.notes }
    return Shown(
      read: now, mine: mine, rowNext: now.next, hasNext: true, hasFriends: true, hasNotes: true,
      inverses: Self.emptyInverses)
  }

  /// Forgets the new notes that no list has any more.
  private mutating func forgetUnlisted() {
    let listed = Set(shown.values.flatMap(\.mine.notes))
    for (number, note) in notes.shown where note.isNew && !listed.contains(number) {
      notes.shown[number] = nil
    }
  }
}
