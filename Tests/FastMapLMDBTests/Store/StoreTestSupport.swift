import FastMapCore
import FastMapLMDB
import Foundation
import TestSupport
import Testing

extension Files {
  static let golden = root + "/Tests/FastMapLMDBTests/Golden"

  static func json(_ path: String) throws -> Any { try json(bytes(of: path)) }

  static func json(_ bytes: [UInt8]) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
  }
}

// MARK: Stores

extension Scratch {
  /// Opens the store as one that is too large to be verified before a write.
  func openLarge() throws(LMDBError) -> LMDBStore {
    try LMDBStore(at: store, configuration: LMDBStore.Configuration.with { $0.verifiedSize = 0 })
  }
}

extension LMDBStore {
  convenience init(at path: String, holding json: String, as mapping: Mapping<Record>) throws {
    try self.init(at: path)
    try take(json, as: mapping)
  }

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
  func export(_ source: some PlanSource) throws -> [String] {
    try exported(source, as: .ndjson).split(separator: "\n").map(String.init)
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
    #expect(report.isSound, "\(report.problems.prefix(5).map(\.description))", sourceLocation: location)
  }

  /// The file's numbers.
  var file: StoreStatistics.File { get throws { try #require(statistics().file) } }

  var commits: Int { get throws { try file.commitCount } }
}

extension LMDBReader {
  /// Copies of an object's attributes, by name; missing ones have no entry.
  mutating func values(_ key: PrimaryKey, of entity: Int, _ schema: Schema) throws -> [String: Value] {
    guard let id = try find(key, of: entity) else { return [:] }
    var buffer = RowBuffer()
    guard try read(id, of: entity, into: &buffer) else { return [:] }
    var values: [String: Value] = [:]
    for (index, field) in schema.entities[entity].fields.enumerated() {
      values[field.name] = buffer.row[index].value
    }
    return values
  }
}

extension MappingSet {
  init(at path: String) throws { try self.init(file: try Files.bytes(of: path)) }
}

/// The error of a call, if it has the expected type; nil if the call throws nothing, or another error.
func thrown<E: Error>(_ type: E.Type, _ body: () throws -> Void) -> E? {
  do { try body() } catch {
    if let error = error as? E { return error }
    Issue.record(error)
  }
  return nil
}
