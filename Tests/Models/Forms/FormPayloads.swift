import FastMapCore
import FastMapStoreTesting

/// Makes random payloads of items and shelves, with few keys, so that objects occur repeatedly.
struct FormPayloads {
  var random: SplitMix
  /// The covers that the payload has taken away.
  private var cleared: Set<FormKey> = []
  /// The items that the payload may delete.
  private var doomed: Set<FormKey> = []
  /// The items that it has deleted.
  private var gone: Set<FormKey> = []
  /// The items with a kind.
  private var known: Set<FormKey> = []
  /// The parts that a list lacks, by their items.
  private var lost: [FormKey: Set<Int>] = [:]
  private var recent: [FormKey] = []

  init(random: SplitMix) { self.random = random }

  private static let shelves = ["a", "b", "c", ""].map { "s" + $0 }

  private mutating func shelf() -> String { Self.shelves[random.next(Self.shelves.count)] }

  mutating func key() -> FormKey { FormKey(shelf: shelf(), number: random.next(4)) }

  private mutating func member<Value>(
    once times: Int, _ make: (inout Self) -> Value
  ) -> FormMember<Value> {
    if random.next(times) > 0 { return .missing }
    return random.next(6) == 0 ? .null : .given(make(&self))
  }

  /// The next thing to do to a store.
  mutating func step(over model: FormModel) -> FormStep {
    let number = random.next(10)
    if number == 9, let shelf = model.shelves.keys.sorted().randomElement(using: &random) {
      return FormStep(work: .deletion(shelf: shelf))
    }
    var step = FormStep(work: .shelves(shelfTexts(), isComplete: random.next(3) == 0))
    if number < 6 {
      step.work = .items(items(over: model), replacingFrom: random.next(4) == 0 ? random.next(4) : nil)
      if case .items(_, nil) = step.work { step.isNDJSON = random.next(4) == 0 }
    }
    step.batchSize = [nil, 1, 3][random.next(3)]
    step.isDryRun = random.next(6) == 0
    if !step.isDryRun, random.next(4) == 0 { step.commitInterval = 1 + random.next(2) }
    return step
  }

  private mutating func keys() -> [FormKey] { (0..<random.next(4)).map { _ in key() } }

  /// Occurrences of items. The payload may delete items that it makes or links, and make them again. It links none that it has deleted
  /// before: a weak relationship has no such target, also if the payload makes the item again.
  package mutating func items(over model: FormModel) -> [FormItemText] {
    doomed = Set(model.items.keys.sorted().filter { _ in random.next(2) == 0 })
    doomed.insert(key())
    known = Set(model.items.keys)
    gone.removeAll()
    cleared.removeAll()
    recent.removeAll()
    lost.removeAll()
    return (0..<random.next(7)).map { _ in item(over: model, inside: []) }
  }

  private mutating func item(over model: FormModel, inside owners: Set<FormKey>) -> FormItemText {
    // Half of the occurrences are of items that the payload has.
    let again = recent.isEmpty || random.next(2) == 0 ? nil : recent[random.next(recent.count)]
    var text = FormItemText(key: again ?? key())
    recent.append(text.key)
    text.body.at = member(once: 2) { $0.random.next(6) }
    if doomed.contains(text.key), !owners.contains(text.key), random.next(2) == 0 {
      text.body.isGone = true
      gone.insert(text.key)
      return text
    }
    // A known fault: a name between a deletion and a newer occurrence is not linked the first time.
    if !owners.isEmpty, gone.contains(text.key) { text.body.at = .missing }
    if random.next(4) == 0 { text.shelfSize = random.next(3) }
    if model.items[text.key] != nil, !gone.contains(text.key) || owners.isEmpty, random.next(8) == 0 {
      text.body.at = .missing
      return text
    }
    // Only a stored item may leave out its kind.
    let isBook = random.next(2) == 0
    let needsKind = known.insert(text.key).inserted || doomed.contains(text.key)
    if needsKind || random.next(3) == 0 { text.body.isBook = isBook }
    fill(&text.body, text.key, nil)
    text.tags = member(once: 4) { maker in
      maker.numbers(4).map { .init(key: $0, text: maker.random.next(3) == 0 ? nil : maker.text()) }
    }
    text.parts = member(once: 3) { maker in
      maker.numbers(3).filter { maker.lost[text.key]?.contains($0) != true }.map {
        maker.part($0, of: text.key)
      }
    }
    // A known fault, as with covers: a part that a list lacks and a later one has keeps its members.
    if text.parts.isGiven {
      lost[text.key, default: []].formUnion(Set(0..<3).subtracting((text.parts.value ?? []).map(\.number)))
    }
    switch text.body.isBook {
    case true:
      let see = member(once: 2) { $0.keys() }
      text.see = see.map { $0.filter { !gone.contains($0) } }
      text.notes = member(once: 4) { maker in (0..<maker.random.next(3)).map { _ in maker.note() } }
    case false:
      let next = member(once: 2) { $0.key() }
      if case .given(let key) = next, gone.contains(key) { break }
      text.next = next
    // The links of a kind that the object does not have would still name objects that the payload has.
    default: break
    }
    if owners.count < 2 {
      text.to = member(once: 4) { [$0.item(over: model, inside: owners.union([text.key]))] }
    }
    return text
  }

  private mutating func text() -> FormMember<String> {
    member(once: 2) { ["\"x\"", "\"y\""][$0.random.next(2)] }
  }

  private mutating func note() -> FormNoteText {
    .init(text: text(), size: member(once: 2) { $0.random.next(2) })
  }

  /// Different numbers below a bound.
  private mutating func numbers(_ bound: Int) -> [Int] {
    (0..<bound).shuffled(using: &random).filter { _ in random.next(2) == 0 }
  }

  private mutating func part(_ number: Int, of key: FormKey) -> FormBodyText {
    var text = FormBodyText(number: number, isBook: random.next(2) == 0)
    text.at = member(once: 2) { $0.random.next(6) }
    if random.next(8) == 0 { text.isGone = true } else { fill(&text, key, number) }
    return text
  }

  private mutating func fill(_ text: inout FormBodyText, _ key: FormKey, _ part: Int?) {
    text.title = member(once: 3) { ["\"x\"", "\"y\"", "\"z\""][$0.random.next(3)] }
    text.length = member(once: 3) { $0.random.next(3).description }
    text.more = member(once: 4) { $0.random.next(3).description }
    text.grade = member(once: 4) { $0.random.next(3) }
    text.cover = member(once: 3) { $0.note() }
    // A known fault: a to-one object that the payload takes away and gives again keeps its members.
    let place = FormKey(shelf: "\(key.text) \(part?.description ?? "")", number: 0)
    switch text.cover {
    case .null: cleared.insert(place)
    case .given: if cleared.contains(place) { text.cover = .missing }
    case .missing: break
    }
  }

  /// Shelves, each once.
  mutating func shelfTexts() -> [FormShelfText] {
    Self.shelves.filter { _ in random.next(2) == 0 }.map { name in
      var text = FormShelfText(name: name)
      text.size = member(once: 2) { $0.random.next(3) }
      return text
    }
  }

  /// Occurrences whose order does not matter: each is whole, and each of an item has an age of its own.
  package mutating func agreeingItems() -> [FormItemText] {
    let sizes = Dictionary(uniqueKeysWithValues: Self.shelves.map { ($0, random.next(3)) })
    var texts: [FormItemText] = (0..<(4 + random.next(20))).map { age in
      var text = FormItemText(key: key(), body: .init(isBook: random.next(2) == 0, at: .given(age)))
      text.shelfSize = sizes[text.key.shelf]
      if text.body.isBook == true {
        text.body.title = random.next(3) == 0 ? .null : .given("\"t\(age)\"")
        text.see = .given(keys())
      } else {
        text.body.length = random.next(3) == 0 ? .null : .given(age.description)
        text.next = random.next(3) == 0 ? .null : .given(key())
      }
      return text
    }
    // A weak link to a missing item depends on the order of the pages.
    let known = Set(texts.map(\.key))
    for index in texts.indices {
      if case .given(let targets) = texts[index].see {
        texts[index].see = .given(targets.filter(known.contains))
      }
      if case .given(let target) = texts[index].next, !known.contains(target) { texts[index].next = .null }
    }
    return texts
  }
}
