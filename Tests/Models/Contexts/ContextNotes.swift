import FastMapCore
import FastMapStoreTesting

/// The notes of a store, and the notes of a context. The model numbers them as it meets them.
struct ContextNotes {
  struct Shown: Equatable {
    var read: String?
    var mine: String?
    var isNew = false
    /// Whether it has left the context. Edited lists may still have it.
    var isGone = false
    var isEdited: Bool { mine != read && !isNew && !isGone }
  }

  /// The texts.
  var stored: [Int: String?] = [:]
  var shown: [Int: Shown] = [:]
  private var last = 0

  package mutating func next() -> Int {
    last += 1
    return last
  }

  mutating func deleteStored(_ numbers: [Int]) { for number in numbers { stored[number] = nil } }

  /// The notes of an object after an import: a note with the text of a stored one is that note, any other is new.
  mutating func set(_ numbers: [Int], to texts: [String]) -> [Int] {
    var left = numbers
    let now = texts.map { text in
      if let place = left.firstIndex(where: { stored[$0] == .some(.some(text)) }) {
        return left.remove(at: place)
      }
      let number = next()
      stored[number] = .some(text)
      return number
    }
    deleteStored(left)
    return now
  }

  mutating func read(_ numbers: [Int]) {
    for number in numbers where shown[number] == nil {
      if let text = stored[number] { shown[number] = Shown(read: text, mine: text) }
    }
  }

  mutating func refresh() {
    for (number, note) in shown where !note.isNew && !note.isEdited {
      if let text = stored[number] { shown[number] = Shown(read: text, mine: text) }
    }
  }

  mutating func rollBack() {
    shown = shown.filter { !$0.value.isNew }
    for (number, note) in shown { shown[number]?.mine = note.read }
  }

  /// Stores edited texts and new notes.
  ///
  /// - Parameter new: The notes that are stored if they are new. The context forgets other new ones.
  /// - Returns: Whether that is no error.
  mutating func save(_ choice: ContextModel.Choice, new: Set<Int>) -> Bool {
    for (number, note) in shown {
      if note.isNew {
        guard new.contains(number) else {
          shown[number] = nil
          continue
        }
        stored[number] = .some(note.mine)
      } else if note.isEdited {
        guard let now = stored[number] else {
          // It leaves the context.
          if choice == .theirs { continue }
          return false
        }
        if note.read == now || now == note.mine || choice == .mine {
          stored[number] = .some(note.mine)
        } else if choice == .fail {
          return false
        }
      } else {
        continue
      }
      if let text = stored[number] { shown[number] = Shown(read: text, mine: text) }
    }
    return true
  }

  /// The notes that the context forgets after a save: all that are not stored, if the save has deleted any.
  func gone(since before: ContextNotes) -> Set<Int> {
    if before.stored.keys.allSatisfy({ stored[$0] != nil }) { return [] }
    return Set(shown.keys.filter { stored[$0] == nil })
  }

  /// Forgets the notes that are not stored any more, unless they are edited.
  ///
  /// - Returns: These notes.
  mutating func forget(_ numbers: Set<Int>) -> Set<Int> {
    let gone = numbers.filter { number in
      stored[number] == nil && shown[number].map { !$0.isNew && !$0.isEdited } ?? false
    }
    for number in gone { shown[number]?.isGone = true }
    return gone
  }
}
