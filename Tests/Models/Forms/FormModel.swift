import FastMapCore
import FastMapStoreTesting

/// A model of a store with shelves and items, which knows dictionaries and nothing else.
struct FormModel: Equatable {
  struct Item: Equatable {
    var body: FormBody
    /// The list of a book, or the next item of a disc.
    var links: [FormKey] = []
    /// The links that the payload has given so far. At its end, those to missing items are left out.
    var given: [FormMember<[FormKey]>] = []
    var to: FormKey?
    /// Whether the payload has given it.
    var hasNewTo = false
    /// Of a book.
    var notes: [FormNote] = []
    var tags: [Int] = []
    var parts = FormParts()

    /// The item without the values of objects that are counted on their own, and without parts that say that they are deleted.
    func outline(without gone: [Int: Int?]?) -> Item {
      var outline = self
      outline.body.cover = body.cover.map { _ in FormNote() }
      outline.parts.bodies = [:]
      outline.parts.numbers.removeAll { gone?[$0] != nil }
      return outline
    }
  }

  struct Shelf: Equatable {
    var size: Int? = 1
  }

  /// The policy of a list, by its name in mapping files.
  enum Policy: String, CaseIterable { case assign, merge, replace }

  /// The counts of a report. They leave out objects that were only updated by another one.
  struct Counts: Equatable {
    var inserted = 0
    var updated = 0
    var deleted = 0
    var stale = 0

    var areNone: Bool { inserted + updated + deleted == 0 }
  }

  package var items: [FormKey: Item] = [:]
  var shelves: [String: Shelf] = [:]
  /// The texts of the tags, as JSON.
  var tags: [Int: String?] = [:]

  // MARK: Imports

  /// Imports items.
  ///
  /// - Parameter least: The least number of the items that the payload has all of; nil if it is not complete.
  mutating func load(_ texts: [FormItemText], _ policy: Policy, replacingFrom least: Int? = nil) -> Counts {
    let before = self
    let named = Set(texts.flatMap(\.all).flatMap(\.targets))
    let met = named.union(texts.flatMap(\.all).map(\.key))
    var metTags: Set<Int> = []
    // The age of the items and parts that are to be deleted.
    var gone: [FormKey: Int?] = [:]
    var goneParts: [FormKey: [Int: Int?]] = [:]
    var applied: Set<FormKey> = []
    // The items that were there at any time.
    var seen = Set(items.keys)
    /// Takes an occurrence and those inside of it.
    ///
    /// - Returns: Whether a relationship links the item.
    func take(_ text: FormItemText) -> Bool {
      let age = gone[text.key] ?? items[text.key]?.body.at
      let isStale = text.body.isOlder(than: age)
      let isGone = gone[text.key] != nil
      if !text.body.isGone {
        if let size = text.shelfSize { shelves[text.key.shelf, default: Shelf()].size = size }
        if shelves[text.key.shelf] == nil { shelves[text.key.shelf] = Shelf() }
      }
      if !isStale {
        applied.insert(text.key)
        if text.isReference { return !isGone }
        if text.body.isGone {
          var at = age
          text.body.at.apply(to: &at)
          gone[text.key] = .some(at)
          return false
        }
        var item = isGone ? nil : items[text.key]
        gone[text.key] = nil
        if item == nil, let isBook = text.body.isBook { item = Item(body: FormBody(isBook: isBook)) }
        guard var item else { return false }
        if item.body.isBook != text.body.isBook, text.body.isBook != nil {
          (item.links, item.given) = ([], [])
        }
        item.apply(text, policy, &goneParts[text.key, default: [:]])
        items[text.key] = item
        seen.insert(text.key)
      }
      for tag in text.tags.value ?? [] {
        var known = tags[tag.key] ?? nil
        tag.text?.apply(to: &known)
        tags[tag.key] = .some(known)
        metTags.insert(tag.key)
      }
      if !isStale, text.to.isGiven {
        items[text.key]?.to = text.to.value?.first?.key
        items[text.key]?.hasNewTo = true
      }
      // The item may be inside of itself.
      for inner in text.to.value ?? [] where !take(inner) && !isStale && items[text.key]?.to == inner.key {
        items[text.key]?.to = nil
      }
      return !isStale || !isGone
    }
    for text in texts { _ = take(text) }
    let alive = Set(items.keys).subtracting(gone.keys)
    for key in items.keys { items[key]?.link(to: alive, of: seen) }
    // Lost links are not counted.
    let linked = items
    for key in items.keys { items[key]?.parts.forgetMissing() }
    delete(Set(gone.keys))
    if let least {
      var going = Set(items.keys.filter { $0.number >= least && !met.contains($0) })
      // A staying item keeps its targets.
      var staying = items.keys.filter { !going.contains($0) }
      while let key = staying.popLast() {
        for target in (items[key]?.links ?? []) + [items[key]?.to].compactMap(\.self)
        where going.remove(target) != nil { staying.append(target) }
      }
      delete(going)
    }
    if policy == .replace { sweepTags(of: before, sparing: metTags) }
    func isChanged(_ key: FormKey) -> Bool {
      // A merge alone keeps the parts in its list until they are deleted.
      let gone = policy == .merge ? goneParts[key] : nil
      return before.items[key]?.outline(without: gone) != linked[key]?.outline(without: gone)
    }
    var counts = Counts()
    counts.inserted = items.keys.count { before.items[$0] == nil }
    counts.deleted = before.items.keys.count { items[$0] == nil }
    counts.updated = items.keys.count { key in
      before.items[key] != nil && isChanged(key)
    }
    counts.stale = met.subtracting(named).count {
      before.items[$0] != nil && !applied.contains($0) && !isChanged($0)
    }
    return counts
  }

  /// Deletes the tags that items had, and none has now.
  mutating func sweepTags(of before: FormModel, sparing met: Set<Int>) {
    let kept = met.union(items.values.flatMap(\.tags))
    for tag in before.items.values.flatMap(\.tags) where !kept.contains(tag) { tags[tag] = nil }
  }

  /// Imports shelves.
  ///
  /// - Parameter isComplete: Whether the payload has all shelves.
  mutating func load(_ texts: [FormShelfText], isComplete: Bool) -> Counts {
    let before = self
    for text in texts {
      var shelf = shelves[text.name] ?? Shelf()
      text.size.apply(to: &shelf.size)
      shelves[text.name] = shelf
    }
    if isComplete {
      let named = Set(texts.map(\.name)).union(items.keys.map(\.shelf))
      shelves = shelves.filter { named.contains($0.key) }
    }
    var counts = Counts()
    counts.inserted = shelves.keys.count { before.shelves[$0] == nil }
    counts.deleted = before.shelves.keys.count { shelves[$0] == nil }
    counts.updated = shelves.count { name, shelf in before.shelves[name].map { $0 != shelf } ?? false }
    return counts
  }

  // MARK: Deletions

  /// Deletes a shelf, with the items that have it in their keys.
  mutating func delete(shelf name: String, _ policy: Policy) {
    let before = self
    shelves[name] = nil
    delete(Set(items.keys.filter { $0.shelf == name }))
    if policy == .replace { sweepTags(of: before, sparing: []) }
  }

  private mutating func delete(_ keys: Set<FormKey>) {
    if keys.isEmpty { return }
    for key in keys { items[key] = nil }
    for key in items.keys {
      items[key]?.links.removeAll { keys.contains($0) }
      if let to = items[key]?.to, keys.contains(to) { items[key]?.to = nil }
    }
  }

  // MARK: Exports

  var itemLines: [String] {
    items.sorted { $0.key < $1.key }.map { key, item in
      let links = item.links.map { #"{"shelf":"\#($0.shelf)","no":\#($0.number)}"# }.joined(separator: ",")
      let size = shelves[key.shelf]?.size.map(\.description) ?? "null"
      var written: Set<Int> = []
      let tags = item.tags.map { tag in
        let text = written.insert(tag).inserted ? self.tags[tag] ?? nil : nil
        return "{\"k\":\(tag)\(text.map { ",\"t\":\($0)" } ?? "")}"
      }
      func list(_ name: String, _ lines: [String]) -> String? {
        lines.isEmpty ? nil : "\"\(name)\":[\(lines.joined(separator: ","))]"
      }
      let shelf = #""shelf":{"name":"\#(key.shelf)","size":\#(size)}"#
      let members =
        item.body.restMembers + ["\"no\":\(key.number)"] + item.body.members(hasAge: false) + [
          shelf, item.body.cover.map { "\"cover\":\($0.json)" }, list("tags", tags),
          list("parts", item.parts.lines), list("notes", item.notes.map(\.json)),
          links.isEmpty ? nil : item.body.isBook ? "\"see\":[\(links)]" : "\"next\":\(links)",
          item.to.map { #""to":{"shelf":"\#($0.shelf)","no":\#($0.number)}"# },
        ]
      return "{\(members.compactMap(\.self).joined(separator: ","))}"
    }
  }

  var tagLines: [String] {
    tags.sorted { $0.key < $1.key }.map { "{\"k\":\($0)\($1.map { ",\"t\":\($0)" } ?? "")}" }
  }

  var shelfLines: [String] {
    shelves.sorted { $0.key < $1.key }.map { name, shelf in
      #"{"name":"\#(name)","size":\#(shelf.size?.description ?? "null")}"#
    }
  }
}

extension FormModel.Item {
  fileprivate mutating func apply(
    _ text: FormItemText, _ policy: FormModel.Policy, _ gone: inout [Int: Int?]
  ) {
    body.apply(text.body, policy)
    given.append(body.isBook ? text.see : text.next.map { [$0] })
    if !body.isBook { notes = [] }
    text.tags.change(&tags, policy, \.key)
    text.notes.change(&notes, policy, FormNote.init)
    switch text.parts {
    case .missing: break
    case .null: if policy != .merge { parts.set([], policy, &gone) }
    case .given(let texts): parts.set(texts, policy, &gone)
    }
  }

  /// Links to the given items that the payload leaves alive. A disc whose next item was never there keeps the one before.
  fileprivate mutating func link(to alive: Set<FormKey>, of seen: Set<FormKey>) {
    for member in given {
      switch member {
      case .missing: break
      case .null: links = []
      case .given(let keys):
        if body.isBook || keys.contains(where: seen.contains) { links = keys.filter(alive.contains) }
      }
    }
    given = []
    if hasNewTo, let to, !alive.contains(to) { self.to = nil }
    hasNewTo = false
  }
}
