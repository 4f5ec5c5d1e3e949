import FastMapCore
import FastMapStoreTesting

/// The mappings of random forms. Shelves are keyed by name, and have slots of their own. Items have keys of two parts, and
/// are books or discs. Newer items win, and deleted ones say so.
enum FormWorld {
  static let plans = Result {
    let shelf = #"{"name": "string", "size": {"type": "integer", "default": 1}}"#
    let key = #""primaryKey": ["shelf", "no"], "newerBy": "at""#
    let see = #"{"mapping": "Item", "weak": true"#
    let file = try FormModel.Policy.allCases.map { policy in
      try MappingSet(
        file: """
          {"fastmap": 1, "mappings": {
            "Shelf": {"primaryKey": "name", "keyedBy": "name", "attributes": \(shelf),
              "relationships": {"slots": {"mapping": "Slot", "toMany": true, "policy": "\(policy)"}}},
            "ShelfName": {"entity": "Shelf", "primaryKey": "name", "attributes": \(shelf)},
            "Slot": {"primaryKey": "n", "keyScope": "parent", "attributes": {"n": "integer", "text": "string"}},
            "Item": {\(key), "deletedBy": "gone",
              "kinds": {"keyPath": "type", "values": {"book": "Book", "disc": "Disc"}}},
            "Book": {"entity": "Item", \(key),
              "attributes": {"no": "integer", "at": "integer", "gone": "boolean", "title": "string"},
              "relationships": {"shelf": {"mapping": "ShelfName"}, "see": \(see), "toMany": true}}},
            "Disc": {"entity": "Item", \(key),
              "attributes": {"no": "integer", "at": "integer", "gone": "boolean", "length": "integer"},
              "relationships": {"shelf": {"mapping": "ShelfName"}, "next": \(see)}}}}}
          """)
    }
    return try file.map { (shelves: try $0.plan(for: "Shelf"), items: try $0.plan(for: "Item")) }
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
  /// Nil where the payload says none.
  var isBook: Bool?
  var at = FormMember<Int>.missing
  var isGone = false
  /// Of a book.
  var title = FormMember<String>.missing
  var see = FormMember<[FormKey]>.missing
  /// Of a disc.
  var length = FormMember<Int>.missing
  package var next = FormMember<FormKey>.missing

  /// Whether it has nothing but the key.
  var isReference: Bool {
    if isGone || isBook != nil { return false }
    let hasMembers = [at.isGiven, title.isGiven, see.isGiven, length.isGiven, next.isGiven]
    return !hasMembers.contains(true)
  }

  /// The items that it names.
  var targets: [FormKey] {
    if case .given(let keys) = see { return keys }
    if case .given(let key) = next { return [key] }
    return []
  }

  var json: String {
    let shelf = shelfSize.map { #"{"name":"\#(key.shelf)","size":\#($0)}"# } ?? "\"\(key.shelf)\""
    let members = [
      #""shelf":\#(shelf),"no":\#(key.number)"#, isBook.map { $0 ? #""type":"book""# : #""type":"disc""# },
      at.text("at", \.description), isGone ? #""gone":true"# : nil, title.text("title") { "\"\($0)\"" },
      see.text("see") { "[\($0.map(\.text).joined(separator: ","))]" }, length.text("length", \.description),
      next.text("next", \.text),
    ]
    return "{\(members.compactMap(\.self).joined(separator: ","))}"
  }
}

/// An occurrence of a shelf in a payload.
struct FormShelfText {
  struct Slot {
    var number: Int
    var text: FormMember<String>
  }

  var name: String
  var size = FormMember<Int>.missing
  var slots = FormMember<[Slot]>.missing

  var json: String {
    let members = [
      size.text("size", \.description),
      slots.text("slots") { slots in
        let texts = slots.map { slot in
          let members = ["\"n\":\(slot.number)", slot.text.text("text") { "\"\($0)\"" }]
          return "{\(members.compactMap(\.self).joined(separator: ","))}"
        }
        return "[\(texts.joined(separator: ","))]"
      },
    ]
    return #""\#(name)":{\#(members.compactMap(\.self).joined(separator: ","))}"#
  }
}
