internal import CFastMap

/// Reads the lines of a dump and checks them.
struct DumpReader: ~Copyable {
  let lines: JSONLines
  let mostValueBytes: Int
  /// By entity, the store's numbers of the objects; empty for a check alone.
  private let numbers: [ObjectNumbers]

  var header = DumpHeader()
  /// The names of the entities, and of the fields of each.
  var names = OrderedNames([])
  var fields: [OrderedNames] = []

  var report = DumpLoadReport()
  /// The number of objects that were read of each entity.
  var counts: [Int] = []
  var batch = DumpBatch()
  var last = LastObject()

  /// The last object that was read.
  struct LastObject {
    /// Its entity; -1 before the first one.
    var entity = -1
    /// The last key of the entity.
    var key: PrimaryKey?
    /// Whether it has no key, so that no later object of its entity has one.
    var isKeyless = false
    /// Its last list.
    var list: (field: Int, targets: [ObjectID])?
  }

  init(_ lines: JSONLines, mostValueBytes: Int, numbers: [ObjectNumbers] = []) {
    (self.lines, self.mostValueBytes, self.numbers) = (lines, mostValueBytes, numbers)
  }

  /// Reads all lines, from the first one.
  ///
  /// - Parameter write: Receives the objects in batches.
  /// - Throws: ``DumpError``; errors of `write`.
  mutating func run(_ write: (inout DumpBatch) throws -> Void) throws -> DumpLoadReport {
    try lines.rewind()
    var checksum: UInt32 = 0
    var hasEnded = false
    while let line = try lines.next() {
      if line.isEmpty, hasEnded { continue }
      guard !hasEnded else { throw fault("expected nothing after the last line") }
      let value = try value(of: line)
      if lines.number == 1 {
        try readHeader(value)
      } else {
        let members = DumpLine(value.node)
        if members.end != nil {
          try flush(write)
          try readEnd(value, checksum)
          hasEnded = true
        } else if members.list != nil {
          try readList(members)
        } else {
          try readObject(members, value.bigIntegers, write)
        }
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

  /// Hands the objects of the batch out.
  mutating func flush(_ write: (inout DumpBatch) throws -> Void) throws {
    endList()
    if batch.isEmpty { return }
    do { try write(&batch) } catch let key as DumpBatch.RefusedKey {
      throw DumpError(file: lines.name, line: key.line, place: "$.values", key.reason)
    }
  }

  /// Sets the list that was read last.
  mutating func endList() {
    guard let list = last.list else { return }
    batch.setTargets(list.targets, at: list.field)
    last.list = nil
  }

  /// The store's number of an object.
  func id(_ number: Int, of entity: Int) -> ObjectID {
    numbers.isEmpty ? ObjectID(rawValue: UInt64(number)) : numbers[entity][number - 1]
  }

  // MARK: Faults

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

  func count(_ name: String, of value: JSONValue, at place: String = "$") throws -> Int {
    guard let number = value[name]?.integer, number >= 0 else {
      throw fault("\(place).\(name)", expected: "a whole number of at least 0", found: value[name])
    }
    return Int(number)
  }

  func checkMembers(_ value: JSONValue, _ known: [String], at place: String = "$") throws {
    for (name, _) in value.members ?? [] where !known.contains(name) {
      throw fault(place, "unknown member \(quoted(name))")
    }
  }

  // MARK: The end

  private func readEnd(_ value: JSONValue, _ checksum: UInt32) throws {
    try checkMembers(value, ["end", "objects", "targets", "checksum"])
    let (objects, targets) = (try count("objects", of: value), try count("targets", of: value))
    guard objects == report.objectCount else {
      throw fault("$.objects", "the dump has \(report.objectCount) objects, its last line says \(objects)")
    }
    guard targets == report.targetCount else {
      throw fault("$.targets", "the dump has \(report.targetCount) targets, its last line says \(targets)")
    }
    for (entity, count) in counts.enumerated() where count != header.counts[entity] {
      throw fault(
        "the dump has \(count) objects of \(escaped(header.schema.entities[entity].name)), "
          + "its first line says \(header.counts[entity])"
      )
    }
    // A dump that was edited by hand may lack the checksum.
    guard value["checksum"] != nil else { return }
    guard try string("checksum", of: value) == DumpFormat.text(of: checksum) else {
      throw fault("$.checksum", "the checksum does not match the preceding lines")
    }
  }
}
