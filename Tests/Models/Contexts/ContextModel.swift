import FastMapCore
import FastMapStoreTesting

/// A model of the contents of a store and of a context over it, which uses neither.
package struct ContextModel {
  /// The fields of an object. Targets are keys.
  package struct Fields: Equatable {
    package var name: String?
    package var rank: Int?
    package var next: Int?
    package var friends: [Int]
    /// Notes have no key. The model numbers them.
    var notes: [Int] = []

    package init(name: String? = nil, rank: Int? = nil, next: Int? = nil, friends: [Int] = []) {
      (self.name, self.rank, self.next, self.friends) = (name, rank, next, friends)
    }
  }

  /// An object of the context.
  struct Shown: Equatable {
    var read = Fields()
    var mine = Fields()
    /// The target in the row, whether it was loaded or not.
    var rowNext: Int?
    var hasNext = false
    var hasFriends = false
    var hasNotes = false
    /// The contents of the loaded inverses.
    var inverses: [ContextInverse: [Int]] = [:]
    var isNew = false
    var isDeleted = false
  }

  enum Choice { case fail, mine, theirs }

  /// The inverses of a formerly new object. They are read at once.
  static let emptyInverses = Dictionary(uniqueKeysWithValues: ContextInverse.allCases.map { ($0, [Int]()) })

  var stored: [Int: Fields] = [:]
  var shown: [Int: Shown] = [:]
  var notes = ContextNotes()
  /// The objects that have left the context. Keys are not used again.
  var left: Set<Int> = []

  /// Whether the caller has set a link to an object, which no save may delete then.
  func hasNewLink(to key: Int) -> Bool {
    shown.values.contains { object in
      let (mine, read) = (object.mine, object.read)
      return mine.next == key && read.next != key || mine.friends.contains(key) && !read.friends.contains(key)
    }
  }

  // MARK: The store

  mutating func deleteStored(_ keys: Set<Int>) {
    for key in keys {
      notes.deleteStored(stored[key]?.notes ?? [])
      stored[key] = nil
    }
    for key in stored.keys { stored[key]?.remove(keys) }
  }

  /// Sets an object, as an import does. Notes are met by their texts.
  mutating func setStored(_ key: Int, _ fields: Fields, notes texts: [String]) {
    var fields = fields
    fields.notes = notes.set(stored[key]?.notes ?? [], to: texts)
    stored[key] = fields
  }

  // MARK: Reading

  mutating func read(_ key: Int, next: Bool, friends: Bool, notes isWithNotes: Bool = false) {
    guard let fields = stored[key] else { return }
    if shown[key] == nil {
      let plain = Fields(name: fields.name, rank: fields.rank)
      shown[key] = Shown(read: plain, mine: plain, rowNext: fields.next)
    }
    guard shown[key]?.isNew == false else { return }
    if next, shown[key]?.hasNext == false {
      if let target = fields.next { read(target, next: false, friends: false) }
      shown[key]?.hasNext = true
      shown[key]?.read.next = fields.next
      // A target that was set before stays.
      if shown[key]?.mine.next == nil { shown[key]?.mine.next = fields.next }
    }
    if friends, shown[key]?.hasFriends == false {
      for target in fields.friends { read(target, next: false, friends: false) }
      shown[key]?.hasFriends = true
      shown[key]?.read.friends = fields.friends
      shown[key]?.mine.friends = fields.friends
    }
    if isWithNotes, shown[key]?.hasNotes == false {
      notes.read(fields.notes)
      shown[key]?.hasNotes = true
      shown[key]?.read.notes = fields.notes
      shown[key]?.mine.notes = fields.notes
    }
  }

  mutating func refresh() {
    for (key, object) in shown where !object.isNew {
      guard let fields = stored[key] else { continue }
      var object = object
      if object.mine.name == object.read.name {
        (object.read.name, object.mine.name) = (fields.name, fields.name)
      }
      if object.mine.rank == object.read.rank {
        (object.read.rank, object.mine.rank) = (fields.rank, fields.rank)
      }
      // If a target was set without loading, its row's value stays the base of conflicts.
      if object.hasNext || object.mine.next == nil { object.rowNext = fields.next }
      if object.hasNext, object.mine.next == object.read.next {
        (object.read.next, object.mine.next) = (fields.next, fields.next)
      }
      if object.hasFriends, object.mine.friends == object.read.friends {
        (object.read.friends, object.mine.friends) = (fields.friends, fields.friends)
      }
      if object.hasNotes, object.mine.notes == object.read.notes {
        (object.read.notes, object.mine.notes) = (fields.notes, fields.notes)
      }
      shown[key] = object
    }
    notes.refresh()
    readTargets()
    // Inverses of deleted objects stay as they are.
    readInverses(of: Set(stored.keys))
  }

  /// Objects that a loaded relationship has are in the context.
  mutating func readTargets() {
    for object in Array(shown.values) where !object.isNew {
      for key in [object.read.next].compactMap(\.self) + object.read.friends where shown[key] == nil {
        read(key, next: false, friends: false)
      }
      notes.read(object.read.notes)
    }
  }

  /// Reads an inverse of an object, unless it was read before.
  mutating func read(_ inverse: ContextInverse, of key: Int) {
    guard stored[key] != nil, shown[key]?.isNew == false, shown[key]?.inverses[inverse] == nil else { return }
    show(inverse, of: key)
  }

  /// Reads the loaded inverses of some objects again.
  mutating func readInverses(of keys: Set<Int>) {
    for (key, object) in shown where keys.contains(key) {
      for inverse in object.inverses.keys { show(inverse, of: key) }
    }
  }

  private mutating func show(_ inverse: ContextInverse, of key: Int) {
    let owners = stored.keys.sorted().filter { owner in
      inverse == .followers ? stored[owner]?.next == key : stored[owner]?.friends.contains(key) ?? false
    }
    shown[key]?.inverses[inverse] = owners
    for owner in owners { read(owner, next: false, friends: false) }
  }

  mutating func rollBack() {
    shown = shown.filter { !$0.value.isNew }
    for key in shown.keys {
      shown[key]?.isDeleted = false
      if let read = shown[key]?.read { shown[key]?.mine = read }
    }
    notes.rollBack()
  }

  // MARK: Moving

  /// The objects that the caller has moved stored notes from or to.
  var moves: Set<Int> {
    var owners: Set<Int> = []
    for (key, object) in shown {
      for note in object.mine.notes where !object.read.notes.contains(note) {
        if notes.shown[note]?.isNew == true { continue }
        owners.insert(key)
        owners.formUnion(shown.filter { $0.value.read.notes.contains(note) }.keys)
      }
    }
    return owners
  }

  /// Whether another writer has changed the notes of one of them.
  var hasMoveConflict: Bool {
    moves.contains { key in
      shown[key].map { !$0.isNew && stored[key]?.notes != $0.read.notes } ?? false
    }
  }
}

extension ContextModel.Fields {
  package mutating func remove(_ keys: Set<Int>) {
    if let target = next, keys.contains(target) { next = nil }
    friends.removeAll { keys.contains($0) }
  }
}
