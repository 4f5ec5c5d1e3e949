/// How often two forms have met in one object of one payload.
public struct FormMeetings {
  enum Form: Int, CaseIterable { case newerBy, deletedBy, kinds, weak, owned, scoped, rest, defaults, replace }

  /// The number of objects with a set of forms, by its bits.
  private var counts = [Int](repeating: 0, count: 1 << Form.allCases.count)

  public init() {}

  /// The pairs that have met fewer times, with their numbers.
  public func pairs(below least: Int) -> [String] {
    pairs.filter { $0.count < least }.map { "\($0.a) and \($0.b): \($0.count)" }
  }

  /// A line for each form, with the number of its meetings with each later one.
  public var table: String {
    Form.allCases.dropLast().map { form in
      let row = pairs.filter { $0.a == form }.map { "\($0.b) \($0.count)" }
      return "\(form): \(row.joined(separator: ", "))"
    }.joined(separator: "\n")
  }

  private var pairs: [(a: Form, b: Form, count: Int)] {
    Form.allCases.flatMap { a in
      Form.allCases.dropFirst(a.rawValue + 1).map { b in
        let both = 1 << a.rawValue | 1 << b.rawValue
        return (a, b, counts.indices.reduce(0) { $1 & both == both ? $0 + counts[$1] : $0 })
      }
    }
  }

  /// Counts the forms of the objects of a payload.
  mutating func count(_ texts: [FormItemText], over model: FormModel, _ policy: FormModel.Policy) {
    var items: [FormKey: Set<Form>] = [:]
    for text in texts where !text.isReference {
      let isNew = model.items[text.key] == nil
      var forms = Self.forms(of: text.body, isNew: isNew)
      if text.see.isGiven || text.next.isGiven { forms.insert(.weak) }
      if text.notes.isGiven { forms.insert(.owned) }
      if policy == .replace, text.tags.isGiven || text.parts.isGiven { forms.insert(.replace) }
      if case .given(let parts) = text.parts {
        forms.insert(.scoped)
        for part in parts where !part.isReference {
          let isNew = model.items[text.key]?.parts.bodies[part.number] == nil
          add(Self.forms(of: part, isNew: isNew).union([.scoped]))
        }
      }
      items[text.key, default: []].formUnion(forms)
    }
    items.values.forEach { add($0) }
  }

  private mutating func add(_ forms: Set<Form>) { counts[forms.reduce(0) { $0 | 1 << $1.rawValue }] += 1 }

  private static func forms(of text: FormBodyText, isNew: Bool) -> Set<Form> {
    let isOther = text.isBook == true ? text.length.isGiven : text.isBook == false && text.title.isGiven
    let has: [(Form, Bool)] = [
      (.newerBy, text.at.isGiven), (.deletedBy, text.isGone), (.kinds, text.isBook != nil),
      (.owned, text.cover.isGiven), (.rest, text.more.isGiven || isOther),
      (.defaults, isNew && !text.isGone && !text.grade.isGiven),
    ]
    return Set(has.filter(\.1).map(\.0))
  }
}
