/// The names and kinds of all that a store keeps of links that wait for their targets.
///
///     Person { friends: weak, waits }     fastmap.waiting.friends    data: the entries, with their keys and places
///                                         fastmap.waiting:friends    to-many: the stand-ins of their targets
///     fastmap.waiting { key, link }       the stand-ins, and a note of each such relationship
///
/// A *stand-in* is an object whose key names a missing object. It leads from an inserted object to the links that wait for it.
/// All of these are ordinary objects and fields, so a store need not know them.
package enum WaitingNames {
  private static let prefix = "fastmap.waiting"

  /// The entity of stand-ins and notes.
  static let entity = prefix

  static func entries(of relationship: String) -> String { "\(prefix).\(relationship)" }
  static func standIns(of relationship: String) -> String { "\(prefix):\(relationship)" }

  /// Whether no mapping may use a name.
  package static func isReserved(_ name: String) -> Bool { name.utf8.starts(with: prefix.utf8) }

  static func fault(_ name: String) -> String {
    "names that begin with \(quoted(prefix)) are for the store's own use, found \(quoted(name))"
  }

  static let keyField = 0
  static let noteField = 1

  static var layout: Schema.Entity {
    Schema.Entity(
      name: entity,
      fields: [
        .init(name: "key", kind: .attribute(.string)), .init(name: "link", kind: .attribute(.string)),
      ],
      keyKind: .string, keyField: keyField)
  }

  /// The fields beside a relationship.
  static func fields(of relationship: String, standIns entity: Int) -> [Schema.Field] {
    [
      .init(name: entries(of: relationship), kind: .attribute(.data)),
      .init(name: standIns(of: relationship), kind: .toMany(entity: entity, isOwned: false)),
    ]
  }
}

/// A relationship whose links wait, as the fields of its entity.
struct WaitingField: Sendable {
  let link: Int
  let entries: Int
  let standIns: Int
  let isToMany: Bool
  let target: Int
}
