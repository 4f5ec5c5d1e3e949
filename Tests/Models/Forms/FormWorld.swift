import FastMapCore
import FastMapStoreTesting

/// The mappings of random forms. Shelves are keyed by name. Items have keys of two parts, and
/// are books or discs. Newer items win, and deleted ones say so. So it is with the parts of an item, whose keys are its own.
/// Items and parts have defaults, a note of their own, and keep the members that no field reads.
enum FormWorld {
  static let plans = Result {
    let (numbers, one) = (#""at": "integer", "gone": "boolean""#, #"{"type": "integer", "default": 1}"#)
    let aged = #""at": {"type": "integer", "default": 2}, "gone": "boolean""#
    let body = #""grade": \#(one), "rest": "rest""#
    let part = #""primaryKey": "n", "keyScope": "parent", "newerBy": "at""#
    let kinds = #""deletedBy": "gone", "kinds": {"keyPath": "type", "values": {"book": "#
    let shelf = #"{"name": "string", "size": {"type": "integer", "default": 1}}"#
    let key = #""primaryKey": ["shelf", "no"], "newerBy": "at""#
    let see = #"{"mapping": "Item", "weak": true"#
    let file = try FormModel.Policy.allCases.map { policy in
      let many = #""toMany": true, "policy": "\#(policy)"}"#
      let cover = #""cover": {"mapping": "Note", "policy": "\#(policy)"}"#
      let own = #""shelf": {"mapping": "ShelfName"}, \#(cover), "tags": {"mapping": "Tag", \#(many)"#
      let more = #"\#(own), "parts": {"mapping": "Part", \#(many)"#
      return try MappingSet(
        file: """
          {"fastmap": 1, "mappings": {
            "Shelf": {"primaryKey": "name", "keyedBy": "name", "attributes": \(shelf)},
            "ShelfName": {"entity": "Shelf", "primaryKey": "name", "attributes": \(shelf)},
            "Tag": {"primaryKey": "k", "attributes": {"k": "integer", "t": "string"}},
            "Note": {"attributes": {"text": "string", "size": \(one)}},
            "Part": {\(part), \(kinds)"BookPart", "disc": "DiscPart"}}},
            "BookPart": {"entity": "Part", \(part),
              "attributes": {"n": "integer", \(aged), \(body), "title": "string"}, "relationships": {\(cover)}},
            "DiscPart": {"entity": "Part", \(part),
              "attributes": {"n": "integer", \(aged), \(body), "length": "integer"}, "relationships": {\(cover)}},
            "Item": {\(key), \(kinds)"Book", "disc": "Disc"}}},
            "Book": {"entity": "Item", \(key),
              "attributes": {"no": "integer", \(numbers), \(body), "title": "string"},
              "relationships": {\(more), "notes": {"mapping": "Note", \(many), "see": \(see), "toMany": true},
                "to": {"mapping": "Item"}}},
            "Disc": {"entity": "Item", \(key),
              "attributes": {"no": "integer", \(numbers), \(body), "length": "integer"},
              "relationships": {\(more), "next": \(see)}, "to": {"mapping": "Item"}}}}}
          """)
    }
    return try file.map { file in
      let (shelves, items) = (try file.plan(for: "Shelf"), try file.plan(for: "Item"))
      return (shelves: shelves, items: items, tags: try file.plan(for: "Tag"))
    }
  }
}

/// The key of an item.
struct FormKey: Hashable, Comparable {
  var shelf: String
  var number: Int

  static func < (a: FormKey, b: FormKey) -> Bool { (a.shelf, a.number) < (b.shelf, b.number) }

  var text: String { #"["\#(shelf)",\#(number)]"# }
}

/// A member of a payload.
enum FormMember<Value> {
  case missing, null
  case given(Value)

  /// Changes a value as the member says.
  func apply(to value: inout Value?) {
    switch self {
    case .missing: break
    case .null: value = nil
    case .given(let given): value = given
    }
  }

  var isGiven: Bool { if case .missing = self { false } else { true } }

  var value: Value? { if case .given(let value) = self { value } else { nil } }

  func map<Other>(_ change: (Value) -> Other) -> FormMember<Other> {
    switch self {
    case .missing: .missing
    case .null: .null
    case .given(let value): .given(change(value))
    }
  }

  func text(_ name: String, _ write: (Value) -> String) -> String? {
    switch self {
    case .missing: nil
    case .null: "\"\(name)\":null"
    case .given(let value): "\"\(name)\":\(write(value))"
    }
  }
}

extension FormMember: Equatable where Value: Equatable {}

/// An occurrence of an item in a payload.
struct FormItemText {
  var key: FormKey
  /// The size of the shelf, which is written as an object then; nil for its name alone.
  var shelfSize: Int?
  var body = FormBodyText()
  /// Of a book.
  var notes = FormMember<[FormNoteText]>.missing
  var see = FormMember<[FormKey]>.missing
  /// Of a disc.
  package var next = FormMember<FormKey>.missing
  var tags = FormMember<[FormTagText]>.missing
  var parts = FormMember<[FormBodyText]>.missing
  /// An occurrence inside of this one, in a list of one.
  var to = FormMember<[FormItemText]>.missing

  /// Whether it has nothing but the key.
  var isReference: Bool {
    let has = [notes.isGiven, see.isGiven, next.isGiven, tags.isGiven, parts.isGiven, to.isGiven]
    return body.isReference && !has.contains(true)
  }

  /// The occurrence and those inside of it.
  var all: [FormItemText] { [self] + (to.value ?? []).flatMap(\.all) }

  /// The items that it names.
  var targets: [FormKey] {
    if case .given(let keys) = see { return keys }
    if case .given(let key) = next { return [key] }
    return []
  }

  var json: String {
    func list<Value>(_ json: @escaping (Value) -> String) -> ([Value]) -> String {
      { "[\($0.map(json).joined(separator: ","))]" }
    }
    let shelf = shelfSize.map { #"{"name":"\#(key.shelf)","size":\#($0)}"# } ?? "\"\(key.shelf)\""
    let members =
      [#""shelf":\#(shelf),"no":\#(key.number)"#] + body.members + [
        notes.text("notes", list(\.json)), see.text("see", list(\.text)), next.text("next", \.text),
        tags.text("tags", list(\.json)), parts.text("parts", list(\.json)),
        to.text("to") { $0.map(\.json).joined() },
      ]
    return "{\(members.compactMap(\.self).joined(separator: ","))}"
  }
}

/// An occurrence of a shelf in a payload.
struct FormShelfText {
  var name: String
  var size = FormMember<Int>.missing

  var json: String { #""\#(name)":{\#(size.text("size", \.description) ?? "")}"# }
}
