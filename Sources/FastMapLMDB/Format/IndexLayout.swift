internal import FastMapStoreKit

/// A secondary index of a store.
///
///     meta "index" number 2    →  entity 2 | flags 1 | entries 8 | number of parts 1 | (field 2 | flags 1)…
///
/// The flag 1 of an index makes the index unique; the flag 1 of a part makes the part descending. The name of an index
/// follows from its fields.
struct IndexLayout: Equatable {
  struct Part: Hashable {
    let field: UInt16
    let isDescending: Bool
  }

  let number: UInt16
  let entity: UInt16
  let parts: [Part]
  var isUnique: Bool
  /// The number of its entries, one for each object of the entity.
  var entries: UInt64 = 0

  var bytes: [UInt8] {
    var bytes = ByteWriter()
    bytes.append(entity)
    bytes.append(UInt8(isUnique ? 1 : 0))
    bytes.append(entries)
    bytes.append(UInt8(parts.count))
    for part in parts {
      bytes.append(part.field)
      bytes.append(UInt8(part.isDescending ? 1 : 0))
    }
    return bytes.bytes
  }

  init(number: UInt16, entity: UInt16, parts: [Part], isUnique: Bool) {
    (self.number, self.entity, self.parts, self.isUnique) = (number, entity, parts, isUnique)
  }

  /// Its name in the mappings: `status,-created_at`.
  func name(in layout: StoreLayout) -> String {
    let fields = layout.entities[Int(entity)].fields
    return parts.map {
      IndexField(name: fields[Int($0.field)].name, isDescending: $0.isDescending).description
    }
    .joined(separator: ",")
  }

  /// Whether its entity and its fields exist, and can be in an index.
  func isSound(in layout: StoreLayout) -> Bool {
    guard Int(entity) < layout.entities.count else { return false }
    let fields = layout.entities[Int(entity)].fields
    return parts.allSatisfy { part in
      guard Int(part.field) < fields.count else { return false }
      return switch fields[Int(part.field)].kind {
      case .attribute(let kind): kind != .json
      case .relationship(let isToMany, let isOwned, _): !isToMany && !isOwned
      }
    }
  }

  /// Nil if the bytes are not an index.
  init?(number: UInt16, _ bytes: UnsafeRawBufferPointer) {
    var bytes = ByteReader(bytes)
    guard let entity = bytes.integer(UInt16.self), let flags = bytes.integer(UInt8.self), flags <= 1,
      let entries = bytes.integer(UInt64.self), let count = bytes.integer(UInt8.self), count > 0,
      count <= Schema.Index.mostFields
    else { return nil }
    var parts: [Part] = []
    for _ in 0..<count {
      guard let field = bytes.integer(UInt16.self), let flags = bytes.integer(UInt8.self), flags <= 1 else {
        return nil
      }
      parts.append(Part(field: field, isDescending: flags == 1))
    }
    self.init(number: number, entity: entity, parts: parts, isUnique: flags == 1)
    self.entries = entries
  }
}
