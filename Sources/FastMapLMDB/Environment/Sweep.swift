/// A cursor that looks ascending keys up, which are often those of neighbours: then the next entry is compared, and
/// nothing is searched for.
///
/// Where the keys turn out to lie far apart, it searches at once, and tries the neighbour only now and then.
///
/// The table may be changed through ``cursor`` between two calls.
struct Sweep: ~Copyable {
  let cursor: Cursor
  /// How often in a row the neighbour was not the one.
  private var misses: UInt32 = 0

  init(_ cursor: consuming Cursor) { self.cursor = cursor }

  /// The entry with this key. Where there is none, the cursor is nowhere in particular.
  ///
  /// C: `MDB_NEXT`, then `MDB_SET_KEY`
  @inline(__always)
  mutating func find(_ key: UnsafeRawBufferPointer) throws(LMDBError) -> Cursor.Entry? {
    if misses < 4 || misses % 32 == 0 {
      if let next = try cursor.next(), next.key.equals(key) {
        misses = 0
        return next
      }
    }
    misses &+= 1
    return try cursor.seek(key)
  }
}
