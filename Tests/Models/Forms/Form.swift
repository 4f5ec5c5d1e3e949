/// A form of a mapping that decides about an object.
public enum Form: Int, CaseIterable, Sendable {
  case newerBy, deletedBy, kinds, weak, owned, scoped, rest, defaults, replace

  /// The forms of each object of a payload.
  static func sets(
    of texts: [FormItemText], over model: FormModel, _ policy: FormModel.Policy
  ) -> [Set<Form>] {
    var (items, all): ([FormKey: Set<Form>], [Set<Form>]) = ([:], [])
    for text in texts where !text.isReference {
      let isNew = model.items[text.key] == nil
      var forms = formsOf(text.body, isNew: isNew)
      if text.see.isGiven || text.next.isGiven { forms.insert(.weak) }
      if text.notes.isGiven { forms.insert(.owned) }
      if policy == .replace, text.tags.isGiven || text.parts.isGiven { forms.insert(.replace) }
      if case .given(let parts) = text.parts {
        forms.insert(.scoped)
        for part in parts where !part.isReference {
          let isNew = model.items[text.key]?.parts.bodies[part.number] == nil
          all.append(formsOf(part, isNew: isNew).union([.scoped]))
        }
      }
      items[text.key, default: []].formUnion(forms)
    }
    return all + items.values
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
