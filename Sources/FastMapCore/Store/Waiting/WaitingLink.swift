internal import CFastMap

/// A relationship of a store whose links wait, by its names: a note in the store tells every import of it.
struct WaitingLink: Hashable {
  var owner: String
  var name: String
  var target: String
  var isToMany: Bool

  init(_ field: WaitingField, of owner: Schema.Entity, in schema: Schema) {
    (self.owner, name) = (owner.name, owner.fields[field.link].name)
    (target, isToMany) = (schema.entities[field.target].name, field.isToMany)
  }

  /// - Parameter note: A note of a store; nil for another text.
  init?(note: String) {
    let parts = note.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map {
      String(String.UnicodeScalarView($0)).unescaped
    }
    guard parts.count == 4 else { return nil }
    (owner, name, target, isToMany) = (parts[0], parts[1], parts[2], parts[3] == "many")
  }

  var note: String {
    [owner.escaped, name.escaped, target.escaped, isToMany ? "many" : "one"].joined(separator: "\n")
  }

  /// The key of the note. Notes come before all stand-ins.
  var key: PrimaryKey { .string("\n" + shortened(note)) }

  /// The keys of all notes.
  static var keys: KeyRange { KeyRange(from: .string("\n"), to: .string("\n\u{10FFFF}")) }

  /// The fields that are read and written when a link of it is made: the owner's are 0, the entries 1, the stand-ins 2.
  var schema: Schema {
    let kind: Schema.Kind = isToMany ? .toMany(entity: 1, isOwned: false) : .toOne(entity: 1, isOwned: false)
    if owner == target {
      let link: Schema.Kind =
        isToMany ? .toMany(entity: 0, isOwned: false) : .toOne(entity: 0, isOwned: false)
      return Schema(entities: [
        .init(
          name: owner, fields: [.init(name: name, kind: link)] + WaitingNames.fields(of: name, standIns: 1),
          keyKind: nil), WaitingNames.layout,
      ])
    }
    return Schema(entities: [
      .init(
        name: owner, fields: [.init(name: name, kind: kind)] + WaitingNames.fields(of: name, standIns: 2),
        keyKind: nil), .init(name: target, fields: [], keyKind: nil), WaitingNames.layout,
    ])
  }

  static let linkField = 0
  static let entriesField = 1
  static let standInsField = 2

  /// The key of the object that stands for a missing one.
  static func standIn(of key: PrimaryKey, _ entity: String) -> PrimaryKey {
    switch key {
    case .integer(let number): .string(shortened(entity.escaped + "\ni\(number)"))
    case .string(let text): .string(shortened(entity.escaped + "\ns" + text))
    }
  }

  /// A text that fits in a key: a long one is hashed. The entries have the keys themselves.
  private static func shortened(_ text: String) -> String {
    if text.utf8.count <= 200 { return text }
    let hash = Array(text.utf8).withUnsafeBytes {
      fastmap_fingerprint_bytes(fastmap_fingerprint(high: 0, low: 0), $0.baseAddress, $0.count)
    }
    return "#\(hash.high) \(hash.low)"
  }

  private func shortened(_ text: String) -> String { Self.shortened(text) }
}

extension String {
  /// Without line feeds.
  fileprivate var escaped: String {
    guard utf8.contains(where: { $0 == 0x5C || $0 == 0x0A }) else { return self }
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  fileprivate var unescaped: String {
    var (text, isEscaped) = ("", false)
    for scalar in unicodeScalars {
      if isEscaped {
        text.unicodeScalars.append(scalar == "n" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
