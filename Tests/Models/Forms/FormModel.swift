import FastMapCore
import FastMapStoreTesting

/// A model of a store with shelves and items, which knows dictionaries and nothing else.
struct FormModel: Equatable {
  struct Item: Equatable {
    var isBook: Bool
    var at: Int?
    var title: String?
    var length: Int?
    /// The list of a book, or the next item of a disc.
    var links: [FormKey] = []
    /// The links that the payload has given so far. At its end, those to missing items are left out.
    var given: [FormMember<[FormKey]>] = []
  }

  struct Slot: Equatable {
    var number: Int
    var text: String?
  }

  struct Shelf: Equatable {
    var size: Int? = 1
    var slots: [Slot] = []
  }

  /// The policy of a list, by its name in mapping files.
  enum Policy: String, CaseIterable { case assign, merge, replace }

  /// The counts of a report. They leave out objects that were only updated by another one.
  struct Counts: Equatable {
    var inserted = 0
    var updated = 0
    var deleted = 0
    var stale = 0
  }

  package var items: [FormKey: Item] = [:]
  var shelves: [String: Shelf] = [:]

  // MARK: Imports

  /// Imports items.
  ///
  /// - Parameter least: The least number of the items that the payload has all of; nil if it is not complete.
  mutating func load(_ texts: [FormItemText], replacingFrom least: Int? = nil) -> Counts {
    let before = self
    let named = Set(texts.flatMap(\.targets))
    let met = named.union(texts.map(\.key))
    // The age of the items that are to be deleted.
    var gone: [FormKey: Int?] = [:]
    var applied: Set<FormKey> = []
    // The items that were there at any time.
    var seen = Set(items.keys)
    for text in texts {
      let age = gone[text.key] ?? items[text.key]?.at
      let isStale = if case .given(let at) = text.at, let age { at < age } else { false }
      if !text.isGone || isStale {
        if let size = text.shelfSize { shelves[text.key.shelf, default: Shelf()].size = size }
        if shelves[text.key.shelf] == nil { shelves[text.key.shelf] = Shelf() }
      }
      if isStale { continue }
      applied.insert(text.key)
      if text.isReference { continue }
      if text.isGone {
        var at = age
        text.at.apply(to: &at)
        gone[text.key] = .some(at)
        continue
      }
      var item = gone[text.key] == nil ? items[text.key] : nil
      gone[text.key] = nil
      if let isBook = text.isBook, item?.isBook != isBook {
        item = Item(isBook: isBook, at: item?.at)
      }
      guard var item else { continue }
      text.at.apply(to: &item.at)
      if item.isBook { text.title.apply(to: &item.title) } else { text.length.apply(to: &item.length) }
      item.given.append(item.isBook ? text.see : text.next.map { [$0] })
      items[text.key] = item
      seen.insert(text.key)
    }
    let alive = Set(items.keys).subtracting(gone.keys)
    for key in items.keys { items[key]?.link(to: alive, of: seen) }
    // Lost links are not counted.
    let linked = items
    delete(Set(gone.keys))
    if let least {
      var going = Set(items.keys.filter { $0.number >= least && !met.contains($0) })
      // A staying item keeps its targets.
      var staying = items.keys.filter { !going.contains($0) }
      while let key = staying.popLast() {
        for target in items[key]?.links ?? [] where going.remove(target) != nil { staying.append(target) }
      }
      delete(going)
    }
    var counts = Counts()
    counts.inserted = items.keys.count { before.items[$0] == nil }
    counts.deleted = before.items.keys.count { items[$0] == nil }
    counts.updated = items.keys.count { before.items[$0] != nil && before.items[$0] != linked[$0] }
    counts.stale = met.subtracting(named).count {
      before.items[$0] != nil && !applied.contains($0) && linked[$0] == before.items[$0]
    }
    return counts
  }

  /// Imports shelves.
  ///
  /// - Parameter isComplete: Whether the payload has all shelves.
  mutating func load(_ texts: [FormShelfText], _ policy: Policy, isComplete: Bool) -> Counts {
    let before = self
    for text in texts {
      var shelf = shelves[text.name] ?? Shelf()
      text.size.apply(to: &shelf.size)
      switch text.slots {
      case .missing: break
      case .null: if policy != .merge { shelf.slots = [] }
      case .given(let slots): shelf.set(slots, merges: policy == .merge)
      }
      shelves[text.name] = shelf
    }
    if isComplete {
      let named = Set(texts.map(\.name)).union(items.keys.map(\.shelf))
      shelves = shelves.filter { named.contains($0.key) }
    }
    var counts = Counts()
    counts.inserted = shelves.keys.count { before.shelves[$0] == nil }
    counts.deleted = before.shelves.keys.count { shelves[$0] == nil }
    counts.updated = shelves.count { name, shelf in
      guard let before = before.shelves[name] else { return false }
      // A slot counts as an object of its own.
      return before.size != shelf.size || before.slots.map(\.number) != shelf.slots.map(\.number)
    }
    return counts
  }

  // MARK: Deletions

  /// Deletes a shelf, with the items that have it in their keys.
  mutating func delete(shelf name: String) {
    shelves[name] = nil
    delete(Set(items.keys.filter { $0.shelf == name }))
  }

  private mutating func delete(_ keys: Set<FormKey>) {
    if keys.isEmpty { return }
    for key in keys { items[key] = nil }
    for key in items.keys { items[key]?.links.removeAll { keys.contains($0) } }
  }

  // MARK: Exports

  var itemLines: [String] {
    items.sorted { $0.key < $1.key }.map { key, item in
      let links = item.links.map { #"{"shelf":"\#($0.shelf)","no":\#($0.number)}"# }.joined(separator: ",")
      let size = shelves[key.shelf]?.size.map(\.description) ?? "null"
      let members = [
        "\"no\":\(key.number)", item.at.map { "\"at\":\($0)" }, item.title.map { "\"title\":\"\($0)\"" },
        item.length.map { "\"length\":\($0)" }, item.isBook ? #""type":"book""# : #""type":"disc""#,
        #""shelf":{"name":"\#(key.shelf)","size":\#(size)}"#,
        links.isEmpty ? nil : item.isBook ? "\"see\":[\(links)]" : "\"next\":\(links)",
      ]
      return "{\(members.compactMap(\.self).joined(separator: ","))}"
    }
  }

  var shelfLines: [String] {
    shelves.sorted { $0.key < $1.key }.map { name, shelf in
      let slots = shelf.slots.map { slot in
        "{\"n\":\(slot.number)\(slot.text.map { ",\"text\":\"\($0)\"" } ?? "")}"
      }
      let list = slots.isEmpty ? "" : ",\"slots\":[\(slots.joined(separator: ","))]"
      return #"{"name":"\#(name)","size":\#(shelf.size?.description ?? "null")\#(list)}"#
    }
  }
}

extension FormModel.Item {
  /// Links to the given items that the payload leaves alive. A disc whose next item was never there keeps the one before.
  fileprivate mutating func link(to alive: Set<FormKey>, of seen: Set<FormKey>) {
    for member in given {
      switch member {
      case .missing: break
      case .null: links = []
      case .given(let keys):
        if isBook || keys.contains(where: seen.contains) { links = keys.filter(alive.contains) }
      }
    }
    given = []
  }
}

extension FormModel.Shelf {
  fileprivate mutating func set(_ texts: [FormShelfText.Slot], merges: Bool) {
    var known = Dictionary(slots.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    for text in texts { text.text.apply(to: &known[text.number, default: .init(number: text.number)].text) }
    let numbers = texts.map(\.number)
    let kept = slots.map(\.number)
    var met = Set(kept)
    let list = merges ? kept + numbers.filter { met.insert($0).inserted } : numbers
    slots = list.compactMap { known[$0] }
  }
}
