import FastMapCore
import FastMapSystem

/// A payload that is read in pieces: a file or standard input, through gzip if it begins as gzip.
final class PayloadStream {
  /// The name for messages.
  let name: String
  private let file: InputStreamFile?
  private let input: DescriptorInput
  /// The first bytes, until they are read.
  private var beginning: [UInt8] = []
  /// A terminal goes on after its end.
  private var hasEnded = false
  private var gunzip: Gunzip?

  /// - Parameter word: The path of a file; `-` is standard input.
  init(_ word: String) throws {
    file = word == "-" ? nil : try InputStreamFile(word)
    name = Self.name(of: word)
    let input = DescriptorInput(descriptor: file?.descriptor ?? System.standardInput, name: name)
    self.input = input
    var byte: UInt8 = 0
    while beginning.count < 2, !hasEnded {
      hasEnded =
        try withUnsafeMutableBytes(of: &byte) { try input.read(into: $0, isCancelled: { false }) } == 0
      if !hasEnded { beginning.append(byte) }
    }
    if beginning == Self.gzip { gunzip = try Gunzip(beginning, input) }
  }

  /// Reads into `room`.
  ///
  /// - Returns: The number of bytes; 0 at the end.
  /// - Throws: ``DamagedText``, ``SystemError``, `CancellationError`.
  func read(into room: UnsafeMutableRawBufferPointer, isCancelled: () -> Bool = { false }) throws -> Int {
    if let gunzip { return try gunzip.read(into: room, isCancelled: isCancelled) }
    let part = beginning.prefix(room.count)
    room.copyBytes(from: part)
    beginning.removeFirst(part.count)
    let rest = UnsafeMutableRawBufferPointer(rebasing: room.dropFirst(part.count))
    if hasEnded || rest.isEmpty { return part.count }
    let count = try input.read(into: rest, isCancelled: isCancelled)
    hasEnded = count == 0
    return part.count + count
  }

  private static let gzip: [UInt8] = [0x1F, 0x8B]

  static func name(of word: String) -> String { word == "-" ? "standard input" : word }

  /// Whether a payload is a file that is read as it is. A stream is left alone, because its writer notices each reader.
  static func isPlain(_ word: String) throws -> Bool {
    if word != "-", InputStreamFile.isStream(word) { return false }
    let file = word == "-" ? nil : try InputStreamFile(word)
    let descriptor = file?.descriptor ?? System.standardInput
    if InputStreamFile.isStream(descriptor) { return false }
    var bytes: [UInt8] = [0, 0]
    return pread(descriptor, &bytes, 2, max(0, lseek(descriptor, 0, SEEK_CUR))) != 2 || bytes != gzip
  }
}

extension ImportInput {
  /// - Parameter word: The path of a file; `-` is standard input.
  static func payload(_ word: String, _ format: JSONFormat) throws -> ImportInput {
    let file = word == "-" ? nil : word
    let isPlain = try PayloadStream.isPlain(word)
    let isStream = file.map { InputStreamFile.isStream($0) } ?? true
    return ImportInput(
      name: PayloadStream.name(of: word), file: file,
      format: format == .automatic ? JSONFormat(ofFile: word) : format,
      size: isPlain ? InputFile.size(file ?? "/dev/stdin") : nil, repeats: !isStream
    ) {
      if isPlain {
        let name = PayloadStream.name(of: word)
        return .file(try file.map { try MappedFile($0) } ?? MappedFile(System.standardInput, name: name))
      }
      let stream = try PayloadStream(word)
      return .stream { try stream.read(into: $0, isCancelled: $1) }
    }
  }
}
