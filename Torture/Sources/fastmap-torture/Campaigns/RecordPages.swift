import FastMapCore

/// The records on the whole leaves of a data file, read from docs/FORMAT.md alone.
enum RecordPages {
  /// The keys of the nodes of a model whose records are on whole pages.
  ///
  /// The file has one state of each record. Long values, which have pages of their own, are left out.
  static func nodes(in file: [UInt8], of model: Model) -> [PrimaryKey] {
    var keys: [PrimaryKey] = []
    for start in stride(from: 2 * Damage.page, through: file.count - Damage.page, by: Damage.page) {
      let page = Array(file[start..<start + Damage.page])
      guard number(page, 0, 8) == start / Damage.page, number(page, 10, 2) == 2 else { continue }
      let end = min(number(page, 12, 2), Damage.page)
      for slot in stride(from: 16, to: max(16, end - 1), by: 2) {
        let node = number(page, slot, 2)
        // The first entity, the kind of an integer key, and the key: 11 bytes.
        guard node + 19 <= Damage.page, number(page, node + 4, 4) == 11 << 16 else { continue }
        let key = page[(node + 8)..<(node + 19)]
        guard Array(key.prefix(3)) == [0, 0, 1] else { continue }
        let bits = key.dropFirst(3).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let value = PrimaryKey.integer(Int64(bitPattern: bits ^ 1 << 63))
        if model.nodes[value] != nil { keys.append(value) }
      }
    }
    return keys
  }

  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int {
    Int(
      bytes[offset..<offset + count].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & UInt64(Int.max))
  }
}
