import FastMapCore
import FastMapStoreTesting

/// The objects that are not stored any more, and whose edits or links a save drops.
struct ContextLost {
  /// Edited objects.
  var edited: Set<Int> = []
  /// Targets of edited relationships.
  var linked: Set<Int> = []
  /// Edited notes, and notes of edited lists.
  var notes: Set<Int> = []

  var objects: Set<Int> { edited.union(linked) }
  var isEmpty: Bool { edited.isEmpty && linked.isEmpty && notes.isEmpty }
}

extension ContextModel {
  /// - Parameter deleted: The objects that the save deletes.
  func lostObjects(without deleted: Set<Int>) -> ContextLost {
    var lost = ContextLost()
    for (number, note) in notes.shown where note.isEdited && notes.stored[number] == nil {
      lost.notes.insert(number)
    }
    var owners: [(read: Fields, mine: Fields)] = []
    for (key, object) in shown where !object.isDeleted {
      var (read, mine) = (object.isNew ? Fields() : object.read, object.mine)
      read.remove(deleted)
      mine.remove(deleted)
      if object.isNew || stored[key] != nil {
        owners.append((read, mine))
      } else if read != mine {
        lost.edited.insert(key)
      }
    }
    for (read, mine) in owners {
      let next = mine.next == read.next ? [] : [mine.next].compactMap(\.self)
      for key in next + (mine.friends == read.friends ? [] : mine.friends)
      where stored[key] == nil && shown[key]?.isNew != true {
        lost.linked.insert(key)
      }
      for number in mine.notes == read.notes ? [] : mine.notes
      where notes.stored[number] == nil && notes.shown[number]?.isNew != true {
        lost.notes.insert(number)
      }
    }
    return lost
  }

  /// Undoes the edits of a stored object, or removes an object that is not stored any more.
  mutating func rollBack(_ key: Int) {
    shown[key]?.isDeleted = false
    if let read = shown[key]?.read { shown[key]?.mine = read }
    if stored[key] == nil { leave(ContextLost(edited: [key])) }
  }

  /// Removes such objects from the context, and from all relationships.
  mutating func leave(_ lost: ContextLost) {
    left.formUnion(lost.objects)
    for key in lost.objects { shown[key] = nil }
    for number in lost.notes { notes.shown[number]?.isGone = true }
    for key in shown.keys {
      shown[key]?.read.remove(lost)
      shown[key]?.mine.remove(lost)
      for inverse in shown[key]?.inverses.keys.map(\.self) ?? [] {
        shown[key]?.inverses[inverse]?.removeAll { lost.objects.contains($0) }
      }
    }
  }
}

extension ContextModel.Fields {
  mutating func remove(_ lost: ContextLost) {
    remove(lost.objects)
    notes.removeAll { lost.notes.contains($0) }
  }
}
