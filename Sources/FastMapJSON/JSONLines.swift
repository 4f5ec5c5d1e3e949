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
  /// The offset at which a regular file starts; nil for a stream, whose text the window keeps.
  private let start: off_t?
  private let reader: JSONReader
  private var window: TextWindow
  /// Where the next line begins.
  private var offset = 0

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

  /// Reads a stream.
  package init(name: String, _ input: @escaping TextWindow.Input) throws {
    (descriptor, ownsDescriptor, self.name, start) = (-1, false, name, nil)
    reader = try JSONReader(maxDepth: 64, textName: "line", keepsReals: true)
    window = TextWindow(size: 1 << 16, input)
    window.hold(TextPiece.Mark(), isHeld: true)
  }

  private init(descriptor: Int32, name: String, ownsDescriptor: Bool) throws {
    (self.descriptor, self.name, self.ownsDescriptor) = (descriptor, name, ownsDescriptor)
    reader = try JSONReader(maxDepth: 64, textName: "line", keepsReals: true)
    var status = stat()
    let place = fstat(descriptor, &status) == 0 ? lseek(descriptor, 0, SEEK_CUR) : -1
    let kind = status.st_mode & S_IFMT
    start = kind == S_IFREG && place >= 0 ? place : nil
    window = Self.window(of: descriptor, name)
    if kind == S_IFDIR { throw SystemError(path: name, reason: "is a directory, expected a file") }
    if start == nil { window.hold(TextPiece.Mark(), isHeld: true) }
  }

  private static func window(of descriptor: Int32, _ name: String) -> TextWindow {
    let input = DescriptorInput(descriptor: descriptor, name: name)
    return TextWindow(size: 1 << 16) { room, isCancelled in
      try input.read(into: room, isCancelled: isCancelled)
    }
  }

  deinit {
    if ownsDescriptor { close(descriptor) }
  }

  /// Starts again from the first line.
  package func rewind() throws {
    (number, offset) = (0, 0)
    if let start {
      guard lseek(descriptor, start, SEEK_SET) >= 0 else {
        throw SystemError(path: name, reason: systemMessage(errno))
      }
      window = Self.window(of: descriptor, name)
    } else {
      try window.goBack(to: TextPiece.Mark())
    }
  }

  /// The next line without its line feed, borrowed until the next call; nil at the end.
  package func next() throws -> UnsafeRawBufferPointer? {
    let found: Range<Int>?
    do { found = try window.line(from: offset, keeps: false, limit: Self.longestLine) } catch var error
      as JSONSyntaxError
    {
      error.file = name
      throw error
    }
    guard let line = found else { return nil }
    number += 1
    guard line.count < Self.longestLine else {
      throw SystemError(path: name, reason: "line \(number) is longer than \(byteSize(Self.longestLine))")
    }
    offset = min(line.upperBound + 1, window.end)
    return window[line]
  }

  /// The value of a line, borrowed until the next call.
  ///
  /// - Throws: ``JSONSyntaxError``.
  package func value(of line: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> JSONValue {
    reader.reset()
    return try reader.read(line).value
  }

  package func isJSON(_ text: UnsafeRawBufferPointer) -> Bool { reader.canRead(text) }
}
