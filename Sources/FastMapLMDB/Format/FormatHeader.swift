/// The entry `format` of the table `meta`: the version and features that a FastMap must know to use the store.
///
///     version 2 | number of entities 2 | features to read 4 | features to write 4
///
/// A feature is a bit. A later FastMap sets a bit of the first kind if an earlier one would read the store wrongly. The bit
/// sets one of the second kind if only writes of an earlier one would damage the store. This FastMap sets bit 3 of the
/// first kind for decimals, and bit 0 of the second kind for secondary indexes.
struct FormatHeader {
  let entityCount: UInt16
  private let version: UInt16
  private let toRead: UInt32
  private let toWrite: UInt32

  /// The features to read that this FastMap knows.
  private static let knownToRead: UInt32 = decimals
  /// Whether an attribute of the store is a decimal.
  private static let decimals: UInt32 = 1 << 3
  /// The features to write that this FastMap knows.
  private static let knownToWrite: UInt32 = indexes
  /// Whether the store has secondary indexes.
  private static let indexes: UInt32 = 1 << 0

  init(entityCount: UInt16, hasIndexes: Bool, hasDecimals: Bool) {
    self.entityCount = entityCount
    version = StoreLayout.version
    (toRead, toWrite) = (hasDecimals ? Self.decimals : 0, hasIndexes ? Self.indexes : 0)
  }

  /// Whether the store has secondary indexes.
  var hasIndexes: Bool { toWrite & Self.indexes != 0 }

  /// - Throws: ``LMDBError`` of reason `foreignFile` for another version, else of reason `damaged` if the bytes are no
  ///   header.
  init(_ value: UnsafeRawBufferPointer, path: String) throws(LMDBError) {
    var bytes = ByteReader(value)
    guard let version = bytes.integer(UInt16.self) else { throw Self.damage(path) }
    guard version == StoreLayout.version else {
      let detail = "its format version is \(version), this FastMap has \(StoreLayout.version)"
      throw LMDBError(.foreignFile(detail: detail), path: path)
    }
    guard let count = bytes.integer(UInt16.self), let toRead = bytes.integer(UInt32.self),
      let toWrite = bytes.integer(UInt32.self)
    else { throw Self.damage(path) }
    (self.version, entityCount, self.toRead, self.toWrite) = (version, count, toRead, toWrite)
  }

  private static func damage(_ path: String) -> LMDBError {
    LMDBError(.damaged(place: "meta, format", detail: "too short"), path: path)
  }

  /// Refuses features of a later FastMap.
  func check(isWriting: Bool, path: String) throws(LMDBError) {
    let unreadable = toRead & ~Self.knownToRead
    if unreadable != 0 {
      let detail =
        "a later FastMap wrote it, with features that this one cannot read (\(Self.list(unreadable)))"
      throw LMDBError(.foreignFile(detail: detail), path: path)
    }
    let unknown = toWrite & ~Self.knownToWrite
    if isWriting, unknown != 0 {
      let detail =
        "a later FastMap wrote it, with features that this one can read but not write (\(Self.list(unknown)))"
      throw LMDBError(.foreignFile(detail: detail), path: path)
    }
  }

  /// `0, 5`
  private static func list(_ bits: UInt32) -> String {
    (0..<32).filter { bits & 1 << $0 != 0 }.map { "\($0)" }.joined(separator: ", ")
  }

  var bytes: [UInt8] {
    var bytes = ByteWriter()
    bytes.append(version)
    bytes.append(entityCount)
    bytes.append(toRead)
    bytes.append(toWrite)
    return bytes.bytes
  }
}
