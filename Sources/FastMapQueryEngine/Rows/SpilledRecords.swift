/// Keeps records of bytes in the order in which they come: the last ones in memory, and all others in an unnamed file.
///
///     let place = try records.append { $0.add("ada@example.org") }
///     let email = try records.read(at: place) { $0.string() }
package final class SpilledRecords {
  /// The most bytes in memory; one record may have more.
  private static let room = 1 << 16

  private var file: SpillFile?
  /// The newest records, which are not in the file.
  private var tail: [UInt8] = []

  package init() {}

  private var start: Int { file?.end ?? 0 }
  /// Where the next record begins.
  package var end: Int { start + tail.count }

  /// - Returns: Where the record begins.
  package func append(_ write: (inout RecordBytes) -> Void) throws -> Int {
    let place = end
    var record = RecordBytes()
    write(&record)
    tail += RecordBytes(length: record.bytes.count).bytes
    tail += record.bytes
    if tail.count >= Self.room { try flush() }
    return place
  }

  /// Reads the record that begins at a place.
  ///
  /// - Precondition: `append` has returned the place, or it is the end of another record.
  package func read<T>(at place: Int, _ read: (inout RecordBytes) -> T) throws -> T {
    var next = place
    return try self.read(next: &next, read)
  }

  /// Reads the record that begins at a place, and moves the place to the next one.
  package func read<T>(next place: inout Int, _ read: (inout RecordBytes) -> T) throws -> T {
    var record = RecordBytes(try bytes(at: place, 512))
    let count = record.integer()
    if record.bytes.count - record.place < count { record.bytes = try bytes(at: place, record.place + count) }
    place += record.place + count
    return read(&record)
  }

  package func removeAll() {
    file?.restart(at: 0)
    tail.removeAll(keepingCapacity: true)
  }

  /// The bytes at a place, fewer at the end.
  private func bytes(at place: Int, _ count: Int) throws -> [UInt8] {
    let start = start
    guard let file, place < start else { return Array(tail[(place - start)...].prefix(count)) }
    var bytes = [UInt8](repeating: 0, count: min(count, start - place))
    var done = 0
    while done < bytes.count {
      done += try bytes.withUnsafeMutableBytes { bytes in
        try file.read(from: place + done, into: .init(rebasing: bytes[done...]))
      }
    }
    return bytes
  }

  private func flush() throws {
    let file = try file ?? SpillFile(at: 0)
    self.file = file
    try tail.withUnsafeBytes { try file.append($0) }
    tail.removeAll(keepingCapacity: true)
  }
}
