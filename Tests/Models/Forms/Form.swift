/// A form of a mapping that decides about an object.
public enum Form: Int, CaseIterable, Sendable {
  case newerBy, deletedBy, kinds, weak, owned, scoped, rest, defaults, replace

  /// The forms of each object of a payload.
  static func sets(
    of texts: [FormItemText], over model: FormModel, _ policy: FormModel.Policy
  ) -> [Set<Form>] {
    var sets: [String: Set<Form>] = [:]
    for text in texts.flatMap(\.all) where !text.isReference {
      let item = model.items[text.key]
      var forms = formsOf(text.body, isNew: item == nil)
      if text.see.isGiven || text.next.isGiven { forms.insert(.weak) }
      if text.notes.isGiven { forms.insert(.owned) }
      if policy == .replace, text.tags.isGiven || text.parts.isGiven { forms.insert(.replace) }
      if text.parts.isGiven { forms.insert(.scoped) }
      for part in text.parts.value ?? [] {
        let forms = formsOf(part, isNew: item?.parts.bodies[part.number] == nil).union([.scoped])
        sets["\(text.key.text) \(part.number)", default: []].formUnion(forms)
      }
      sets[text.key.text, default: []].formUnion(forms)
    }
    return Array(sets.values)
  }

  private static func formsOf(_ text: FormBodyText, isNew: Bool) -> Set<Form> {
    let isOther = text.isBook == true ? text.length.isGiven : text.isBook == false && text.title.isGiven
    let has: [(Form, Bool)] = [
      (.newerBy, text.at.isGiven), (.deletedBy, text.isGone), (.kinds, text.isBook != nil),
      (.owned, text.cover.isGiven), (.rest, text.more.isGiven || isOther),
      (.defaults, isNew && !text.isGone && !text.grade.isGiven),
    ]
    return Set(has.filter(\.1).map(\.0))
  }
}
