internal import CFastMap

/// Hands out the lines of a dump, and counts them.
struct DumpWriter: ~Copyable {
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  private var writer = JSONWriter()
  private var checksum: UInt32 = 0
  private var (objectCount, targetCount) = (0, 0)
  private var handedOut = 0

  /// Writes the first line.
  ///
  /// - Parameter sink: Receives the text, UTF-8, borrowed for the call.
  init(_ header: DumpHeader, to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
    self.sink = sink
    header.write(to: &writer)
  }

  /// The bytes so far.
  var byteCount: Int { handedOut + writer.count }

  /// Writes an object.
  ///
  /// - Parameter line: Its line with the line feed.
  mutating func object(_ line: UnsafeRawBufferPointer) throws {
    writer.raw(line.bindMemory(to: UInt8.self))
    objectCount += 1
    try flush()
  }

  /// Writes a list of the last object.
  mutating func list(_ field: Int, _ targets: [Int], of names: DumpNames, _ number: Int) throws {
    for start in stride(from: 0, to: targets.count, by: DumpFormat.targetsPerLine) {
      writer.beginObject()
      names.begin(number, in: &writer)
      writer.name("list")
      writer.string(names.fields[field])
      writer.name("targets")
      writer.beginArray()
      for target in targets[start..<min(start + DumpFormat.targetsPerLine, targets.count)] {
        writer.integer(Int64(target))
      }
      writer.endArray()
      writer.endObject()
      writer.endLine()
      try flush()
    }
    targetCount += targets.count
  }

  /// Passes the text on once there is enough.
  private mutating func flush() throws {
    if writer.count >= 1 << 16 { try handOut() }
  }

  private mutating func handOut() throws {
    let sink = sink
    var checksum = checksum
    handedOut += writer.count
    try writer.flush { bytes in
      checksum = fastmap_crc32c(checksum, bytes.baseAddress, bytes.count)
      try sink(bytes)
    }
    self.checksum = checksum
  }

  /// Writes the last line.
  mutating func finish() throws {
    try handOut()
    writer.beginObject()
    writer.name("end")
    writer.boolean(true)
    writer.name("objects")
    writer.integer(Int64(objectCount))
    writer.name("targets")
    writer.integer(Int64(targetCount))
    writer.name("checksum")
    writer.string(DumpFormat.text(of: checksum))
    writer.endObject()
    writer.endLine()
    try handOut()
  }
}

/// The names of an entity and its fields, as the lines of its objects have them.
struct DumpNames {
  let fields: [String]
  /// The entity with its member, and the member for the number.
  private let start: [UInt8]
  private let members: [[UInt8]]

  init(_ entity: Schema.Entity) {
    fields = entity.fields.map(\.name)
    start = Self.literal("entity") + Self.quoted(entity.name) + Array(",".utf8) + Self.literal("object")
    members = fields.map(Self.literal)
  }

  private static func literal(_ name: String) -> [UInt8] { quoted(name) + Array(":".utf8) }

  private static func quoted(_ name: String) -> [UInt8] {
    var writer = JSONWriter()
    writer.string(name)
    return writer.bytes
  }

  /// Writes the members that each line of an object begins with.
  func begin(_ number: Int, in writer: inout JSONWriter) {
    start.withUnsafeBufferPointer { writer.name(literal: $0) }
    writer.integer(Int64(number))
  }

  /// Writes the name of a field before its value.
  func write(_ field: Int, to writer: inout JSONWriter) {
    members[field].withUnsafeBufferPointer { writer.name(literal: $0) }
  }
}
