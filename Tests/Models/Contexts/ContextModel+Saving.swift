/// Saves of a context, as the model does them.
extension ContextModel {
  /// - Parameters:
  ///   - insertsNotes: Whether new notes are inserted into the context, as records are.
  ///   - edits: The edits made while the save waits, for the next save.
  /// - Returns: Whether the save succeeds.
  mutating func save(_ choice: Choice, insertsNotes: Bool, _ edits: [ContextMeanwhile] = []) -> Bool {
    let before = shown
    let deleted = Set(shown.filter { $0.value.isDeleted }.keys)
    left.formUnion(deleted)
    let lost = choice == .theirs ? lostObjects(without: deleted) : ContextLost()
    var after = stored
    let isAnyDeleted = deleted.contains { stored[$0] != nil }
    var (notesAfter, storedNew) = (notes, Set<Int>())
    for key in deleted {
      notesAfter.deleteStored(stored[key]?.notes ?? [])
      after[key] = nil
    }
    for key in after.keys { after[key]?.remove(deleted) }
    var theirs: [Int: Set<Int>] = [:]
    var hasChanges =
      !deleted.isEmpty || !lost.isEmpty || notes.shown.values.contains { $0.isNew || $0.isEdited }
    let new = Set(shown.filter { $0.value.isNew }.keys)
    var written: Set<Int> = []
    var released: [Int] = []
    for (key, object) in shown where !object.isDeleted && !lost.edited.contains(key) {
      var (read, mine) = (object.read, object.mine)
      read.remove(deleted)
      mine.remove(deleted)
      if object.isNew { mine.remove(lost) }
      if object.isNew {
        written.insert(key)
        hasChanges = true
        if !([mine.next].compactMap(\.self) + mine.friends).allSatisfy({
          stored[$0] != nil || new.contains($0)
        }) {
          return false
        }
        // A note that it has got from another object may be gone.
        if mine.notes.contains(where: { notes.stored[$0] == nil && notes.shown[$0]?.isNew != true }) {
          return false
        }
        after[key] = mine
        storedNew.formUnion(mine.notes)
        continue
      }
      if read == mine { continue }
      written.insert(key)
      hasChanges = true
      guard let now = stored[key], var result = after[key] else { return false }
      var rest = now
      rest.remove(deleted)
      var base = read
      // If the caller's own deletions have emptied the relationship, no other writer has changed it.
      if !object.hasNext { base.next = object.rowNext.flatMap { left.contains($0) ? nil : $0 } }
      /// Whether the context's value is written; nil for a conflict that is an error.
      func isMine<V: Equatable>(_ field: Int, _ base: V, _ now: V, _ mine: V) -> Bool? {
        if base == now || now == mine || choice == .mine { return true }
        if choice == .fail { return nil }
        theirs[key, default: []].insert(field)
        return false
      }
      if mine.name != read.name {
        guard let isMine = isMine(0, base.name, now.name, mine.name) else { return false }
        if isMine { result.name = mine.name }
      }
      if mine.rank != read.rank {
        guard let isMine = isMine(1, base.rank, now.rank, mine.rank) else { return false }
        if isMine { result.rank = mine.rank }
      }
      if let next = mine.next, next != read.next, lost.linked.contains(next) {
        theirs[key, default: []].insert(2)
      } else if mine.next != read.next {
        guard let isMine = isMine(2, base.next, rest.next, mine.next) else { return false }
        if isMine {
          if let next = mine.next, next != now.next, stored[next] == nil, !new.contains(next) { return false }
          result.next = mine.next
        }
      }
      if mine.friends != read.friends {
        // A list that has lost targets only is no conflict.
        let lost = lost.linked.intersection(mine.friends)
        mine.friends.removeAll { lost.contains($0) }
        base.friends.removeAll { lost.contains($0) }
        guard let isMine = isMine(3, base.friends, rest.friends, mine.friends) else { return false }
        if isMine {
          for friend in mine.friends where !now.friends.contains(friend) && stored[friend] == nil {
            if !new.contains(friend) { return false }
          }
          result.friends = mine.friends
        }
      }
      if mine.notes != read.notes {
        let lost = lost.notes.intersection(mine.notes)
        mine.notes.removeAll { lost.contains($0) }
        base.notes.removeAll { lost.contains($0) }
        guard let isMine = isMine(4, base.notes, now.notes, mine.notes) else { return false }
        if isMine {
          for note in mine.notes where !now.notes.contains(note) && notes.stored[note] == nil {
            if notes.shown[note]?.isNew != true { return false }
          }
          result.notes = mine.notes
          storedNew.formUnion(mine.notes)
          released += now.notes.filter { !mine.notes.contains($0) }
        }
      }
      after[key] = result
    }
    let owned = Set(after.values.flatMap(\.notes))
    notesAfter.deleteStored(released.filter { !owned.contains($0) })
    guard notesAfter.save(choice, new: insertsNotes ? Set(notes.shown.keys) : storedNew) else { return false }
    let goneNotes = notesAfter.gone(since: notes)
    (stored, notes) = (after, notesAfter)
    leave(lost)
    for key in written { take(key, theirs[key] ?? [], without: deleted) }
    for edit in edits {
      if let old = before[edit.key], !old.isNew, old.mine.hasSame(edit.field, as: old.read) {
        // The caller has not seen the other writer's value, so the next save has a conflict.
        shown[edit.key]?.read.take(edit.field, of: old.read)
        if edit.field == .next { shown[edit.key]?.rowNext = old.rowNext }
      } else if edit.field == .next, let old = before[edit.key], !old.hasNext,
        theirs[edit.key]?.contains(2) ?? false
      {
        // The target that the caller has set instead is no reason to load the relationship.
        shown[edit.key]?.hasNext = false
        shown[edit.key]?.read.next = nil
      }
      shown[edit.key]?.mine.take(edit.field, of: edit.mine)
    }
    for key in deleted { shown[key] = nil }
    for key in shown.keys {
      shown[key]?.read.remove(deleted)
      shown[key]?.mine.remove(deleted)
    }
    leave(lost)
    forget(isAnyDeleted ? Set(shown.keys.filter { stored[$0] == nil }) : [], notes: goneNotes)
    readTargets()
    if hasChanges { readBothSides() }
    return true
  }

  /// Reads the loaded inverses again, and the other sides of gained and lost objects.
  private mutating func readBothSides() {
    let before = shown
    readInverses(of: Set(shown.keys))
    for (key, object) in before {
      for (inverse, old) in object.inverses {
        for owner in Set(old).symmetricDifference(shown[key]?.inverses[inverse] ?? []) {
          guard let fields = stored[owner], let other = shown[owner], !other.isNew else { continue }
          if inverse == .followers, other.hasNext, other.mine.next == other.read.next {
            shown[owner]?.read.next = fields.next
            shown[owner]?.mine.next = fields.next
          } else if inverse == .fans, other.hasFriends, other.mine.friends == other.read.friends {
            shown[owner]?.read.friends = fields.friends
            shown[owner]?.mine.friends = fields.friends
          }
        }
      }
    }
    readTargets()
  }

  /// Takes over the saved values of an object.
  private mutating func take(_ key: Int, _ theirs: Set<Int>, without deleted: Set<Int>) {
    guard var object = shown[key], let fields = stored[key] else { return }
    object.read.remove(deleted)
    object.mine.remove(deleted)
    let isNextSet = object.mine.next != object.read.next
    let areFriendsSet = object.mine.friends != object.read.friends
    let areNotesSet = object.mine.notes != object.read.notes
    (object.read.name, object.read.rank) = (fields.name, fields.rank)
    (object.mine.name, object.mine.rank) = (fields.name, fields.rank)
    object.rowNext = fields.next
    if object.isNew {
      object = Shown(
        read: fields, mine: fields, rowNext: fields.next, hasNext: true, hasFriends: true, hasNotes: true,
        inverses: Self.emptyInverses)
    } else {
      if theirs.contains(2) {
        // It is loaded, to show the stored target.
        object.hasNext = true
        (object.read.next, object.mine.next) = (fields.next, fields.next)
      } else if isNextSet {
        object.hasNext = true
        object.read.next = object.mine.next
      } else if object.hasNext {
        (object.read.next, object.mine.next) = (fields.next, fields.next)
      }
      if theirs.contains(3) {
        (object.read.friends, object.mine.friends) = (fields.friends, fields.friends)
      } else if areFriendsSet {
        object.read.friends = object.mine.friends
      } else if object.hasFriends {
        (object.read.friends, object.mine.friends) = (fields.friends, fields.friends)
      }
      if theirs.contains(4) || !areNotesSet && object.hasNotes {
        (object.read.notes, object.mine.notes) = (fields.notes, fields.notes)
      } else {
        object.read.notes = object.mine.notes
      }
    }
    shown[key] = object
  }
}
