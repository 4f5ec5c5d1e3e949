internal import FastMapSystem

/// Reads NDJSON, one line in memory at a time. The reader can start again from the first line, even in a pipe.
///
/// - Note: Thread rule: one thread at a time.
package final class JSONLines {
  /// The file's name for error messages.
  package let name: String
  /// The number of the line that `next` returned last, from 1.
  package private(set) var number = 0

  private let descriptor: Int32
  private let ownsDescriptor: Bool
  /// The offset at which a regular file starts; nil for a stream.
  private let start: Int?
  /// The data read from a stream so far.
  private var spill: SpillFile?
  private let reader: JSONReader
  private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  /// The part of the buffer that `next` has not returned yet.
  private var rest = 0..<0
  /// The number of bytes read so far.
  private var position = 0

  /// The maximum length of a line, in bytes.
  private static let longestLine = 1 << 30

  /// Opens a file.
  package convenience init(_ path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError(path: path, reason: systemMessage(errno)) }
    try self.init(descriptor: descriptor, name: path, ownsDescriptor: true)
  }

  package convenience init(descriptor: Int32, name: String) throws {
    try self.init(descriptor: descriptor, name: name, ownsDescriptor: false)
  }

  private init(descriptor: Int32, name: String, ownsDescriptor: Bool) throws {
    (self.descriptor, self.name, self.ownsDescriptor) = (descriptor, name, ownsDescriptor)
    reader = try JSONReader(maxDepth: 64, textName: "line", keepsReals: true)
    var status = stat()
    let place = fstat(descriptor, &status) == 0 ? Int(lseek(descriptor, 0, SEEK_CUR)) : -1
    let kind = status.st_mode & S_IFMT
    start = kind == S_IFREG && place >= 0 ? place : nil
    if kind == S_IFDIR { throw SystemError(path: name, reason: "is a directory, expected a file") }
    if start == nil { spill = try SpillFile(at: 0) }
  }

  deinit {
    buffer.deallocate()
    if ownsDescriptor { close(descriptor) }
  }

  /// Starts again from the first line.
  package func rewind() {
    (number, position, rest) = (0, 0, 0..<0)
  }

  /// The next line without its line feed, borrowed until the next call; nil at the end.
  package func next() throws -> UnsafeRawBufferPointer? {
    var searched = 0
    while true {
      let bytes = UnsafeRawBufferPointer(rebasing: buffer[rest])
      if let feed = Self.feed(in: bytes, from: searched) {
        rest = (rest.lowerBound + feed + 1)..<rest.upperBound
        number += 1
        return UnsafeRawBufferPointer(rebasing: bytes[..<feed])
      }
      searched = rest.count
      guard try fill() else {
        guard !rest.isEmpty else { return nil }
        let last = UnsafeRawBufferPointer(rebasing: buffer[rest])
        rest = rest.upperBound..<rest.upperBound
        number += 1
        return last
      }
    }
  }

  private static func feed(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
    guard start < bytes.count, let first = bytes.baseAddress else { return nil }
    return memchr(first + start, CInt(UInt8(ascii: "\n")), bytes.count - start).map {
      UnsafeRawPointer($0) - first
    }
  }

  /// The value of a line, borrowed until the next call.
  ///
  /// - Throws: ``JSONSyntaxError``.
  package func value(of line: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> JSONValue {
    reader.reset()
    return try reader.read(line).value
  }

  package func isJSON(_ text: UnsafeRawBufferPointer) -> Bool { reader.canRead(text) }

  /// - Returns: False at the end.
  private func fill() throws -> Bool {
    if rest.upperBound == buffer.count {
      guard rest.count < Self.longestLine else {
        throw SystemError(
          path: name, reason: "line \(number + 1) is longer than \(byteSize(Self.longestLine))")
      }
      let isFull = rest.count > buffer.count / 2
      let larger = UnsafeMutableRawBufferPointer.allocate(
        byteCount: isFull ? buffer.count * 2 : buffer.count, alignment: 16)
      larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: buffer[rest]))
      buffer.deallocate()
      buffer = larger
      rest = 0..<rest.count
    }
    let room = UnsafeMutableRawBufferPointer(rebasing: buffer[rest.upperBound...])
    let count = try read(into: room)
    rest = rest.lowerBound..<(rest.upperBound + count)
    position += count
    return count > 0
  }

  private func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
    if let end = spill?.end, position < end, let count = try spill?.read(from: position, into: room) {
      return count
    }
    while true {
      let count =
        start.map { pread(descriptor, room.baseAddress, room.count, off_t($0 + position)) }
        ?? Self.readStream(descriptor, room)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(path: name, reason: systemMessage(errno)) }
      if start == nil { try spill?.append(UnsafeRawBufferPointer(rebasing: room[..<count])) }
      return count
    }
  }

  private static func readStream(_ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) -> Int {
    FastMapSystem.read(descriptor, room.baseAddress, room.count)
  }
}
