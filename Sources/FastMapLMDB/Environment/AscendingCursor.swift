/// A cursor that looks up ascending keys. These are often neighbours, so it compares the next entry before it
/// searches.
///
/// If the keys turn out to be far apart, it searches directly and tries the neighbour only now and then.
///
/// The table may be changed through ``cursor`` between two calls.
struct AscendingCursor: ~Copyable {
  let cursor: Cursor
  /// The number of consecutive look-ups that the next entry did not answer.
  private var misses: UInt32 = 0

  init(_ cursor: consuming Cursor) { self.cursor = cursor }

  /// The entry with this key. If there is none, the position of the cursor is undefined.
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
