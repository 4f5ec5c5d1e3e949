import FastMapCore
import FastMapStoreTesting

/// The values that items and their parts have in common, and a note of their own.
struct FormBody: Equatable {
  var isBook: Bool
  var at: Int?
  var grade: Int? = 1
  /// Of a book, as JSON.
  var title: String?
  /// Of a disc, as JSON.
  var length: String?
  /// The members that no field reads, as JSON by their names.
  var rest: [String: String] = [:]
  var cover: FormNote?

  mutating func apply(_ text: FormBodyText, _ policy: FormModel.Policy) {
    if let isBook = text.isBook, isBook != self.isBook {
      // The fields of the old kind are lost, and those of the new one take their values out of the rest.
      self.isBook = isBook
      title = isBook ? rest.removeValue(forKey: "title") : nil
      length = isBook ? nil : rest.removeValue(forKey: "length")
    }
    text.at.apply(to: &at)
    text.grade.apply(to: &grade)
    if isBook { text.title.apply(to: &title) } else { text.title.apply(to: &rest["title"]) }
    if isBook { text.length.apply(to: &rest["length"]) } else { text.length.apply(to: &length) }
    text.more.apply(to: &rest["more"])
    switch text.cover {
    case .missing: break
    case .null: if policy != .merge { cover = nil }
    case .given(let note):
      var changed = cover ?? FormNote()
      changed.apply(note)
      cover = changed
    }
  }

  /// The members of the rest.
  var restMembers: [String] { rest.sorted { $0.key < $1.key }.map { "\"\($0)\":\($1)" } }

  /// - Parameter hasAge: Whether an age of null is written, as it has a default.
  func members(hasAge: Bool) -> [String?] {
    [
      hasAge || at != nil ? "\"at\":\(at?.description ?? "null")" : nil,
      "\"grade\":\(grade?.description ?? "null")", title.map { "\"title\":\($0)" },
      length.map { "\"length\":\($0)" }, isBook ? #""type":"book""# : #""type":"disc""#,
    ]
  }
}

/// An object without a key, which belongs to its owner.
struct FormNote: Equatable {
  var text: String?
  var size: Int? = 1

  init() {}

  init(_ text: FormNoteText) { apply(text) }

  mutating func apply(_ note: FormNoteText) {
    note.text.apply(to: &text)
    note.size.apply(to: &size)
  }

  var json: String {
    "{\(text.map { "\"text\":\($0)," } ?? "")\"size\":\(size?.description ?? "null")}"
  }
}

/// The parts of an item, which have keys of their own in it.
struct FormParts: Equatable {
  var numbers: [Int] = []
  var bodies: [Int: FormBody] = [:]

  /// Takes the parts of a payload.
  ///
  /// - Parameter gone: The ages of the parts that the payload has deleted.
  mutating func set(_ texts: [FormBodyText], _ policy: FormModel.Policy, _ gone: inout [Int: Int?]) {
    var list: [Int] = []
    for text in texts {
      let age = gone[text.number] ?? bodies[text.number]?.at
      if text.isOlder(than: age) {
        if gone[text.number] == nil { list.append(text.number) }
        continue
      }
      if text.isGone {
        var at = age
        text.at.apply(to: &at)
        gone[text.number] = .some(at)
        bodies[text.number] = nil
        continue
      }
      // A reference makes no part again.
      guard !text.isReference || gone[text.number] == nil else { continue }
      var body = bodies[text.number]
      // A part has an age by default.
      if body == nil, let isBook = text.isBook { body = FormBody(isBook: isBook, at: 2) }
      body?.apply(text, policy)
      bodies[text.number] = body
      gone[text.number] = nil
      list.append(text.number)
    }
    if policy == .merge {
      numbers += list.filter { !numbers.contains($0) }
    } else {
      numbers = list
      bodies = bodies.filter { list.contains($0.key) }
    }
  }

  mutating func forgetMissing() { numbers.removeAll { bodies[$0] == nil } }

  var lines: [String] {
    numbers.compactMap { number in
      bodies[number].map { body in
        let members = body.restMembers + ["\"n\":\(number)"] + body.members(hasAge: true).compactMap(\.self)
        return "{\((members + (body.cover.map { ["\"cover\":\($0.json)"] } ?? [])).joined(separator: ","))}"
      }
    }
  }
}

extension FormMember {
  /// Gives a list the elements of a payload.
  func change<Element: Equatable, Text>(
    _ list: inout [Element], _ policy: FormModel.Policy, _ make: (Text) -> Element
  ) where Value == [Text] {
    if !isGiven || policy == .merge && value == nil { return }
    if policy != .merge { list = [] }
    for element in (value ?? []).map(make) where policy != .merge || !list.contains(element) {
      list.append(element)
    }
  }
}

/// An occurrence of a part, or the values of an item's occurrence.
struct FormBodyText {
  var number = 0
  /// Nil where the payload says none.
  var isBook: Bool?
  var at = FormMember<Int>.missing
  var isGone = false
  var grade = FormMember<Int>.missing
  var title = FormMember<String>.missing
  var length = FormMember<String>.missing
  var more = FormMember<String>.missing
  var cover = FormMember<FormNoteText>.missing

  /// Whether it has nothing but the key.
  var isReference: Bool {
    if isGone || isBook != nil { return false }
    let has = [at.isGiven, grade.isGiven, title.isGiven, length.isGiven, more.isGiven, cover.isGiven]
    return !has.contains(true)
  }

  func isOlder(than age: Int?) -> Bool {
    if case .given(let at) = at, let age { at < age } else { false }
  }

  var members: [String?] {
    [
      isBook.map { $0 ? #""type":"book""# : #""type":"disc""# }, at.text("at", \.description),
      isGone ? #""gone":true"# : nil, more.text("more", \.self), grade.text("grade", \.description),
      title.text("title", \.self), length.text("length", \.self), cover.text("cover", \.json),
    ]
  }

  var json: String {
    "{\((["\"n\":\(number)"] + members.compactMap(\.self)).joined(separator: ","))}"
  }
}

struct FormNoteText {
  var text = FormMember<String>.missing
  var size = FormMember<Int>.missing

  var json: String {
    "{\([text.text("text", \.self), size.text("size", \.description)].compactMap(\.self).joined(separator: ","))}"
  }
}

/// An occurrence of a tag.
struct FormTagText {
  var key: Int
  /// Nil for the key alone.
  var text: FormMember<String>?

  var json: String {
    guard let text else { return "\(key)" }
    return "{\(["\"k\":\(key)", text.text("t", \.self)].compactMap(\.self).joined(separator: ","))}"
  }
}
