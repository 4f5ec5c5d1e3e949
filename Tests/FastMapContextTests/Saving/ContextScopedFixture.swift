import FastMapCore
import TestSupport

/// Orders and their lines, whose keys are unique within one relationship of one order.
enum Orders {
  final class Order {
    var id = 0
    var lines: [Line] = []
    var gifts: [Line] = []
    var first: Line?
    static let mapping = Mapping(Order.self, "Order", primaryKey: "id", make: { Order() }) {
      Attribute("id", \.id)
      ToMany("lines", \.lines, Line.mapping)
      ToMany("gifts", \.gifts, Line.mapping, policy: .merge)
      ToOne("first", \.first, Line.mapping)
    }
  }
  final class Line {
    var nr = 0
    var text: String?
    var notes: [Note] = []
    static let mapping = Mapping(Line.self, "Line", primaryKey: .scoped("nr"), make: { Line() }) {
      Attribute("nr", \.nr)
      Attribute("text", \.text)
      ToMany("notes", \.notes, Note.mapping)
    }
  }
  final class Note {
    var at: String?
    var by: String?
    static let mapping = Mapping(Note.self, "Note", primaryKey: .scoped("at"), make: { Note() }) {
      Attribute("at", \.at)
      Attribute("by", \.by)
    }
  }

  static let order = Mapping("Order", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("lines", line)
    ToMany("gifts", line, policy: .merge)
    ToOne("first", line)
  }
  static let line = Mapping("Line", primaryKey: .scoped("nr")) {
    Attribute("nr", .integer)
    Attribute("text", .string)
    ToMany("notes", note)
  }
  static let note = Mapping("Note", primaryKey: .scoped("at")) {
    Attribute("at", .string)
    Attribute("by", .string)
  }

  static let one =
    #"{"id":1,"lines":[{"nr":1,"text":"a","notes":[{"at":"x","by":"me"}]},{"nr":2}],"gifts":[{"nr":1,"text":"g"}]}"#
  static let two = #"{"id":2,"first":{"nr":1}}"#

  static func world(_ kind: StoreKind, _ form: Form) throws -> World {
    let world = try World(kind, form == .classes ? Order.mapping.plan() : order.plan())
    try world.load("[\(one),\(two)]")
    return world
  }

  /// The same edits of instances and of records.
  struct Desk {
    let context: ObjectContext
    let form: Form

    init(_ world: World, _ form: Form) throws {
      self.form = form
      context = try ObjectContext(world.store, for: world.plan())
    }

    func order(_ id: Int64) throws -> AnyObject? {
      switch form {
      case .classes:
        try context.object(
          Order.mapping, key: PrimaryKey.integer(id), including: \.lines.notes, \.gifts.notes, \.first)
      case .records:
        try context.record(
          "Order", key: PrimaryKey.integer(id), including: ["lines.notes", "gifts.notes", "first"])
      }
    }

    /// - Parameter insert: Whether the context is told of it.
    func line(_ nr: Int?, _ text: String? = nil, notes: [AnyObject] = [], insert: Bool = false) throws
      -> AnyObject
    {
      if form == .records {
        let line = try context.insert("Line")
        if let nr { line["nr"] = .integer(Int64(nr)) }
        line["text"] = text.map { .string($0) }
        try line.set("notes", to: notes)
        return line
      }
      let line = Line()
      line.nr = nr ?? 0
      line.text = text
      line.notes = notes.compactMap { $0 as? Note }
      if insert { try context.insert(line, as: Line.mapping) }
      return line
    }

    func note(_ at: String, _ by: String? = nil) throws -> AnyObject {
      if form == .records {
        return try context.insert("Note", ["at": .string(at), "by": by.map { .string($0) } ?? .null])
      }
      let note = Note()
      (note.at, note.by) = (at, by)
      return note
    }

    func insertOrder(_ id: Int?) throws -> AnyObject {
      if form == .records {
        return try context.insert("Order", id.map { ["id": .integer(Int64($0))] } ?? [:])
      }
      let order = Order()
      order.id = id ?? 0
      try context.insert(order, as: Order.mapping)
      return order
    }

    func targets(_ name: String, _ owner: AnyObject?) throws -> [AnyObject] {
      switch owner {
      case let record as EditableRecord: try record.targets(name)
      case let order as Order:
        switch name {
        case "lines": order.lines
        case "gifts": order.gifts
        default: order.first.map { [$0] } ?? []
        }
      case let line as Line: line.notes
      default: []
      }
    }

    func set(_ name: String, _ owner: AnyObject?, _ targets: [AnyObject]) throws {
      switch owner {
      case let record as EditableRecord:
        if name == "first" {
          try record.set(name, to: targets.first)
        } else {
          try record.set(name, to: targets)
        }
      case let order as Order:
        let lines = targets.compactMap { $0 as? Line }
        switch name {
        case "lines": order.lines = lines
        case "gifts": order.gifts = lines
        default: order.first = lines.first
        }
      case let line as Line: line.notes = targets.compactMap { $0 as? Note }
      default: break
      }
    }

    func add(_ name: String, _ owner: AnyObject?, _ target: AnyObject) throws {
      try set(name, owner, targets(name, owner) + [target])
    }

    func setText(_ line: AnyObject?, _ text: String) {
      (line as? Line)?.text = text
      (line as? EditableRecord)?["text"] = .string(text)
    }

    func setNumber(_ line: AnyObject?, _ nr: Int) {
      (line as? Line)?.nr = nr
      (line as? EditableRecord)?["nr"] = .integer(Int64(nr))
    }
  }
}
