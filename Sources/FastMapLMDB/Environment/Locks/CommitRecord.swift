internal import CFastMap
import CFastMapLMDB

/// The number of a commit, stored by the commit itself beside the names of the tables.
///
///     "commit"  →  checksum 4 | commit 8
///
/// LMDB's headers have no checksum. One flipped bit in a root's page number can lead to the tree of the previous
/// commit. One in a commit number can select the other header. So the tree must contain the same commit number as its
/// header. The page with this record is written at every commit anyway.
enum CommitRecord {
  static let key = Array("commit".utf8)
  static let size = 12

  static func value(_ commit: UInt64) -> [UInt8] {
    let number = withUnsafeBytes(of: commit.littleEndian) { Array($0) }
    return withUnsafeBytes(of: checksum(number).littleEndian) { Array($0) } + number
  }

  /// - Returns: The number of the commit; nil if the bytes are not an intact record.
  static func commit(_ value: UnsafeRawBufferPointer) -> UInt64? {
    guard value.count == size else { return nil }
    let number = Array(value[4...])
    guard value.littleEndian(at: 0, as: UInt32.self) == checksum(number) else { return nil }
    return value.littleEndian(at: 4, as: UInt64.self)
  }

  private static func checksum(_ number: [UInt8]) -> UInt32 {
    fastmap_crc32c(fastmap_crc32c(0, key, key.count), number, number.count)
  }
}

/// Writes the number of the commit that a transaction is about to make.
///
/// - Returns: An LMDB status.
func putCommitRecord(_ transaction: OpaquePointer?) -> CInt {
  return CommitRecord.key.withUnsafeBytes { key in
    CommitRecord.value(UInt64(mdb_txn_id(transaction))).withUnsafeBytes { value in
      var key = MDB_val(lending: key)
      var value = MDB_val(lending: value)
      return mdb_put(transaction, Environment.main, &key, &value, 0)
    }
  }
}
