import FastMapCore
import FastMapStoreTesting

/// An object of a payload, with some of its fields.
struct ContextPayload {
  enum Field: CaseIterable { case name, rank, next, friends, notes }

  let key: Int
  let has: Set<Field>
  let fields: ContextModel.Fields
  let notes: [String]

  var json: String {
    var members = [#""id":\#(key)"#]
    if has.contains(.name) { members.append(#""name":\#(fields.name.map { "\"\($0)\"" } ?? "null")"#) }
    if has.contains(.rank) { members.append(#""rank":\#(fields.rank.map { "\($0)" } ?? "null")"#) }
    if has.contains(.next) { members.append(#""next":\#(fields.next.map { "\($0)" } ?? "null")"#) }
    if has.contains(.friends) { members.append(#""friends":\#(fields.friends)"#) }
    if has.contains(.notes) {
      let texts = notes.map { #"{"text":"\#($0)"}"# }
      members.append(#""notes":[\#(texts.joined(separator: ","))]"#)
    }
    return "{\(members.joined(separator: ","))}"
  }
}

/// Imports into the context.
extension ContextModel {
  /// - Parameters:
  ///   - edits: The edits made while the import waits. All of them stay.
  ///   - isFill: Whether the only object is read into an instance. A new one shows all that the payload has.
  mutating func take(_ payload: [ContextPayload], _ edits: [ContextMeanwhile] = [], isFill: Bool = false) {
    for object in payload { store(object) }
    take(edits)
    for (key, item) in shown where item.isNew && stored[key] != nil {
      // All other values of a new object are edits.
      var new = Shown(
        mine: item.mine, hasNext: true, hasFriends: true, hasNotes: true, inverses: Self.emptyInverses)
      if isFill, let object = payload.first, object.key == key, let now = stored[key] {
        let edited = Set(edits.lazy.filter { $0.key == key }.map(\.field))
        for field in object.has.subtracting(edited) {
          new.read.take(field, of: now)
          new.mine.take(field, of: now)
        }
      }
      shown[key] = new
    }
    forget(Set(shown.keys.filter { stored[$0] == nil }), notes: Set(notes.shown.keys))
    refresh()
  }

  private mutating func store(_ object: ContextPayload) {
    let old = stored[object.key] ?? Fields()
    var fields = old
    for field in object.has where field != .notes { fields.take(field, of: object.fields) }
    if object.has.contains(.notes) { fields.notes = notes.set(old.notes, to: object.notes) }
    stored[object.key] = fields
  }

  /// Objects that are not stored any more leave the context, unless they are edited. They stay in edited relationships.
  ///
  /// - Parameter numbers: The notes that may be gone.
  mutating func forget(_ keys: Set<Int>, notes numbers: Set<Int>) {
    let gone = keys.filter { key in
      shown[key].map { !$0.isNew && !$0.isDeleted && $0.mine == $0.read } ?? false
    }
    let goneNotes = notes.forget(numbers)
    left.formUnion(gone)
    for key in gone { shown[key] = nil }
    for key in shown.keys {
      guard var item = shown[key] else { continue }
      let old = item.read
      item.read.remove(gone)
      item.read.notes.removeAll { goneNotes.contains($0) }
      for field in ContextPayload.Field.allCases where item.mine.hasSame(field, as: old) {
        item.mine.take(field, of: item.read)
      }
      for inverse in item.inverses.keys { item.inverses[inverse]?.removeAll { gone.contains($0) } }
      shown[key] = item
    }
  }
}
