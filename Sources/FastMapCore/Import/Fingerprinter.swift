internal import CFastMap

/// Makes the fingerprints of rows for a store that keeps them.
struct Fingerprinter {
  private let key: fastmap_fingerprint
  /// For each entity, a number for the name of each field. The numbers of a schema mean nothing in the store.
  private let names: [[UInt64]]

  init(key: Fingerprint.Key, _ schema: Schema) {
    let secret = fastmap_fingerprint(high: key.high, low: key.low)
    self.key = secret
    names = schema.entities.map { entity in
      entity.fields.map { field in
        Array(field.name.utf8).withUnsafeBytes {
          fastmap_fingerprint_bytes(secret, $0.baseAddress, $0.count).low
        }
      }
    }
  }

  /// The fingerprint of a row for the store.
  func fingerprint(of row: UnsafePointer<fastmap_slot>, _ entity: Int) -> Fingerprint {
    let made = names[entity].withUnsafeBufferPointer {
      fastmap_fingerprint_row(key, row, $0.baseAddress, UInt32($0.count))
    }
    return Fingerprint(high: made.high, low: made.low)
  }
}
