import FastMapCore
import FastMapLMDB
import Foundation
import Testing

/// Where the files are that tests read.
enum Files {
  private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  static let mappings = tests.appendingPathComponent("Mappings").path
  static let golden = tests.appendingPathComponent("Golden").path
  static let package = tests.deletingLastPathComponent().deletingLastPathComponent().path

  /// The real documents; nil where they are not on this machine.
  static let corpora: String? = {
    let given = ProcessInfo.processInfo.environment["FASTMAP_CORPORA"]
    let path = (given ?? package + "/../shared/corpora") + "/real"
    return FileManager.default.fileExists(atPath: path) ? path : nil
  }()

  static func bytes(of path: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path)))
  }

  static func json(_ path: String) throws -> Any { try json(bytes(of: path)) }

  static func json(_ bytes: [UInt8]) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
  }
}

/// A number that `FASTMAP_SEED` may set, to run a random test again as it was.
func makeSeed(for test: String) -> UInt64 {
  let given = ProcessInfo.processInfo.environment["FASTMAP_SEED"].flatMap { UInt64($0) }
  let seed = given ?? UInt64.random(in: 0...UInt64.max)
  print("\(test): FASTMAP_SEED=\(seed)")
  return seed
}

extension Random {
  mutating func nextUnit() -> Double { Double(next(1 << 30)) / Double(1 << 30) }
}

// MARK: Stores

extension Scratch {
  /// Opens the store without a look at its pages, as one that is too large for that.
  func openUnseen(verifiedSize: Int = 0) throws(LMDBError) -> LMDBStore {
    var configuration = LMDBStore.Configuration()
    configuration.verifiedSize = verifiedSize
    return try LMDBStore(at: store, configuration: configuration)
  }
}

extension LMDBStore {
  /// Imports a text that is written down in a test.
  @discardableResult
  func take(
    _ json: String, as mapping: Mapping<Record>, _ change: (inout ImportOptions) -> Void = { _ in }
  ) throws -> ImportReport {
    var options = ImportOptions()
    change(&options)
    return try Mapper(self).importJSON(Array(json.utf8), as: try Plan(mapping), options: options)
  }

  /// All objects of a mapping as the tool exports them: one JSON text each.
  func export(_ mapping: Mapping<Record>) throws -> [String] { try export(try Plan(mapping)) }

  func export(_ plan: Plan) throws -> [String] {
    let serializer = Serializer(plan)
    let entity = try #require(plan.schema.entity(named: plan.root.entity))
    var lines: [String] = []
    try read(plan.schema) { reader in
      try reader.forEach(of: entity, keys: nil) { reader, id, _ in
        var writer = JSONWriter()
        try serializer.write(id, from: &reader, to: &writer)
        lines.append(String(decoding: writer.bytes, as: UTF8.self))
        return true
      }
    }
    return lines
  }

  func count(_ mapping: Mapping<Record>) throws -> Int {
    let plan = try Plan(mapping)
    return try read(plan.schema) { try $0.count(of: 0) }
  }

  func id(_ key: PrimaryKey, _ mapping: Mapping<Record>) throws -> ObjectID? {
    let plan = try Plan(mapping)
    return try read(plan.schema) { try $0.find(key, of: 0) }
  }

  /// Fails the test with the first problems, if there are any.
  func expectSound(_ location: SourceLocation = #_sourceLocation) throws {
    let report = try check()
    #expect(
      report.isSound, "\(report.problems.prefix(5).map(\.description))", sourceLocation: location)
  }

  var commits: Int { get throws { try statistics().commitCount } }
}

extension LMDBReader {
  /// Copies of an object's attributes, by name; missing ones have no entry.
  mutating func values(_ key: PrimaryKey, of entity: Int, _ schema: Schema) throws -> [String: Value] {
    guard let id = try find(key, of: entity) else { return [:] }
    var buffer = RowBuffer()
    guard try read(id, of: entity, into: &buffer) else { return [:] }
    var values: [String: Value] = [:]
    for (index, field) in schema.entities[entity].fields.enumerated() {
      values[field.name] = buffer.row.value(at: index)
    }
    return values
  }
}

extension MappingSet {
  init(at path: String) throws { try self.init(file: try Files.bytes(of: path)) }
}

/// What a test expects a call to throw; nil where it throws nothing, or something else.
func thrown<E: Error>(_ type: E.Type, _ body: () throws -> Void) -> E? {
  do { try body() } catch {
    if let error = error as? E { return error }
    Issue.record(error)
  }
  return nil
}
