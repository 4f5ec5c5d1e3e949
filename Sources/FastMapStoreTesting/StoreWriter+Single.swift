internal import FastMapCore

/// Questions about one object, for checks of one.
extension StoreWriter {
  mutating func reference(to id: ObjectID, of entity: Int, after last: Reference?) throws -> Reference? {
    try references(to: [id], of: entity, after: last, limit: 1)[0].first
  }

  mutating func isChanged(_ id: ObjectID, of entity: Int) throws -> Bool {
    try changed([id], of: entity)[0]
  }

  mutating func isReferenced(_ id: ObjectID, of entity: Int) throws -> Bool {
    try reference(to: id, of: entity, after: nil) != nil
  }
}
