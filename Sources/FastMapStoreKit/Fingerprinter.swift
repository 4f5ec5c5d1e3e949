package import CFastMap

/// Makes the fingerprints of rows for a store that keeps them.
package struct Fingerprinter {
  private let key: fastmap_fingerprint
  /// For each entity, a number for the name of each field. The numbers of a schema mean nothing in the store.
  private let names: [[UInt64]]
  /// For each entity, its fields by the bytes of their names.
  private let orders: [[UInt32]]

  package init(key: Fingerprint.Key, _ schema: Schema) {
    self.init(key: key, fields: schema.entities.map { $0.fields.map(\.name) })
  }

  /// - Parameter fields: The names of the fields, by entity.
  package init(key: Fingerprint.Key, fields: [[String]]) {
    let secret = fastmap_fingerprint(high: key.high, low: key.low)
    self.key = secret
    names = fields.map { fields in
      fields.map { name in
        Array(name.utf8).withUnsafeBytes {
          fastmap_fingerprint_bytes(secret, $0.baseAddress, $0.count).low
        }
      }
    }
    orders = fields.map { fields in
      fields.indices.sorted { fields[$0].utf8.lexicographicallyPrecedes(fields[$1].utf8) }.map { UInt32($0) }
    }
  }

  package func fingerprint(of row: UnsafePointer<fastmap_slot>, _ entity: Int, isNew: Bool) -> Fingerprint {
    let made = names[entity].withUnsafeBufferPointer {
      fastmap_fingerprint_row(key, row, $0.baseAddress, UInt32($0.count))
    }
    let isWhole = Self.isWhole(row, count: names[entity].count, isNew: isNew)
    return Fingerprint(high: made.high, low: isWhole ? content(of: row, entity) : 0)
  }

  /// 64 bits that stand for all values and targets of an object; never 0.
  package func content(of row: Row, _ entity: Int) -> UInt64 { content(of: row.slots, entity) }

  private func content(of row: UnsafePointer<fastmap_slot>, _ entity: Int) -> UInt64 {
    let made = names[entity].withUnsafeBufferPointer { names in
      orders[entity].withUnsafeBufferPointer { order in
        fastmap_fingerprint_content(key, row, names.baseAddress, order.baseAddress, UInt32(names.count))
      }
    }
    return max(1, made.low)
  }

  /// Whether the written object has exactly the values and targets of the row. An update keeps fields that the row does
  /// not name, and a merge adds to the stored targets.
  private static func isWhole(_ row: UnsafePointer<fastmap_slot>, count: Int, isNew: Bool) -> Bool {
    for field in 0..<count {
      let slot = row[field]
      if slot.kind == .missing {
        guard isNew else { return false }
      } else if slot.kind == .targets, slot.policy == FASTMAP_MERGE, !isNew || slot.length > 1 {
        // A merged list has each target once.
        guard isNew, let targets = slot.targets else { return false }
        guard Set(UnsafeBufferPointer(start: targets, count: Int(slot.length))).count == slot.length else {
          return false
        }
      }
    }
    return true
  }
}
