internal import CFastMap

/// Reads the lines of a dump, checks them, and passes their objects to a store.
package struct DumpLoader: ~Copyable {
  let lines: JSONLines
  let target: any DumpTarget

  var report = DumpLoadReport()
  var header = DumpHeader(schema: Schema(entities: []), counts: [], changes: [])
  /// The entities by the bytes of their names, because Swift treats some different spellings as equal.
  var entities: [[UInt8]: Int] = [:]
  var fields: [[[UInt8]: Int]] = []
  /// The number of objects that were read of each entity, and the field of their keys.
  var objectCounts: [UInt64] = []
  package var keyFields: [Int?] = []

  var last: (entity: Int, number: UInt64)?
  /// The field of its last list that was read.
  var list: Int?

  /// - Parameter target: An empty store.
  package init(_ lines: JSONLines, into target: any DumpTarget) {
    self.lines = lines
    self.target = target
  }

  /// Reads all lines, from the first one.
  ///
  /// - Throws: ``DumpError``; errors of the target.
  package mutating func run() throws -> DumpLoadReport {
    lines.rewind()
    var checksum: UInt32 = 0
    var hasEnded = false
    var row = RowBuffer()
    while let line = try lines.next() {
      if line.isEmpty, hasEnded { continue }
      guard !hasEnded else { throw fault("expected nothing after the last line") }
      let value = try value(of: line)
      if lines.number == 1 {
        try readHeader(value)
        try target.begin(header)
      } else if value["end"] != nil {
        try readEnd(value, checksum)
        hasEnded = true
      } else if value["list"] != nil {
        try readList(value)
      } else {
        try readObject(value, &row)
      }
      checksum = fastmap_crc32c(checksum, line.baseAddress, line.count)
      checksum = withUnsafeBytes(of: UInt8(ascii: "\n")) { fastmap_crc32c(checksum, $0.baseAddress, 1) }
    }
    guard hasEnded else {
      throw DumpError(
        file: lines.name, line: lines.number + 1,
        lines.number == 0
          ? "expected a dump, found nothing" : "the dump is truncated: its last line is missing")
    }
    if let found = try target.firstFault() { throw error(found) }
    try target.finish()
    return report
  }

  private func value(of line: UnsafeRawBufferPointer) throws -> JSONValue {
    do {
      let value = try lines.value(of: line)
      guard value.kind == .object else { throw fault("expected an object, found \(value.found)") }
      return value
    } catch let error as JSONSyntaxError {
      throw fault("column \(error.location.column): \(error.reason)")
    }
  }

  private func error(_ fault: DumpFault) -> DumpError {
    func words(_ number: UInt64, of entity: Int) -> String {
      "object \(number) of \(escaped(header.schema.entities[entity].name))"
    }
    switch fault {
    case .missingTarget(let field, let owner, let entity, let target):
      let relationship = header.schema.entities[entity].fields[field]
      let other = relationship.kind.target?.entity ?? entity
      return DumpError(
        file: lines.name,
        "\(quoted(relationship.name)) of \(words(owner, of: entity)) refers to \(words(target, of: other)), "
          + "which is missing from the dump")
    case .sameKey(let key, let entity, let first, let second):
      return DumpError(
        file: lines.name, "\(words(second, of: entity)) has the key \(key), which belongs to object \(first)")
    }
  }

  func fault(_ place: String?, _ reason: String) -> DumpError {
    DumpError(file: lines.name, line: lines.number, place: place, reason)
  }

  func fault(_ reason: String) -> DumpError { fault(nil, reason) }

  func fault(_ place: String, expected: String, found value: JSONValue?) -> DumpError {
    fault(place, "expected \(expected), found \(value?.found ?? "nothing")")
  }

  func string(_ name: String, of value: JSONValue, at place: String = "$") throws -> String {
    guard let text = value[name]?.string else {
      throw fault("\(place).\(name)", expected: "a string", found: value[name])
    }
    return text
  }

  package func count(_ name: String, of value: JSONValue, at place: String = "$") throws -> UInt64 {
    guard let number = value[name]?.integer, let count = UInt64(exactly: number) else {
      throw fault("\(place).\(name)", expected: "a whole number of at least 0", found: value[name])
    }
    return count
  }

  func checkMembers(_ value: JSONValue, _ known: [String], at place: String = "$") throws {
    for (name, _) in value.members ?? [] where !known.contains(name) {
      throw fault(place, "unknown member \(quoted(name))")
    }
  }

  // MARK: The end

  private mutating func readEnd(_ value: JSONValue, _ checksum: UInt32) throws {
    try checkMembers(value, ["end", "objects", "targets", "checksum"])
    let (objects, targets) = (try count("objects", of: value), try count("targets", of: value))
    guard objects == report.objectCount else {
      throw fault("$.objects", "the dump has \(report.objectCount) objects, its last line says \(objects)")
    }
    guard targets == report.targetCount else {
      throw fault("$.targets", "the dump has \(report.targetCount) targets, its last line says \(targets)")
    }
    for (entity, count) in objectCounts.enumerated() where count != header.counts[entity].objects {
      throw fault(
        "the dump has \(count) objects of \(escaped(header.schema.entities[entity].name)), "
          + "its first line says \(header.counts[entity].objects)"
      )
    }
    // A dump that was edited by hand may lack the checksum.
    guard value["checksum"] != nil else { return }
    guard try string("checksum", of: value) == DumpFormat.text(of: checksum) else {
      throw fault("$.checksum", "the checksum does not match the preceding lines")
    }
  }
}
