import FastMapLMDB
import Foundation
import TestSupport
import Testing

@testable import FastMapCore

/// One file of `Mappings/` with what `expected.json` says of it.
struct Corpus: CustomTestStringConvertible, Sendable {
  /// One import.
  struct Part: Decodable, Sendable {
    struct Counts: Decodable, Sendable {
      let inserted, updated, unchanged, deleted, skipped: Int
    }

    let `as`: String
    let file: String
    let rootObjects: Int
    let bytes: Int
    let entities: [String: Counts]
  }

  /// A mapping may stand for one import or for several.
  private struct Parts: Decodable {
    let parts: [Part]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      parts = try (try? container.decode([Part].self)) ?? [try container.decode(Part.self)]
    }
  }

  let name: String
  let parts: [Part]
  var testDescription: String { name }
  var mappings: String { Files.mappings + "/\(name).json" }
  var path: String { (Files.realDocuments ?? "") + "/" + parts[0].file }

  static let all: [Corpus] = {
    do {
      let bytes = try Files.bytes(of: Files.mappings + "/expected.json")
      let table = try JSONDecoder().decode([String: Parts].self, from: Data(bytes))
      return table.keys.sorted().map { Corpus(name: $0, parts: table[$0]?.parts ?? []) }
    } catch {
      preconditionFailure("expected.json: \(error)")
    }
  }()

  func plan(_ mapping: String) throws -> Plan { try MappingSet(at: mappings).plan(for: mapping) }

  func take(_ part: Part, into store: some Store) throws -> ImportReport {
    try Mapper(store).importFile(path, as: try plan(part.as))
  }

  /// The report that an import is to return.
  ///
  /// - Parameter isRepeated: Whether all of it is in the store already.
  func expected(_ part: Part, _ duration: Duration, isRepeated: Bool = false) -> ImportReport {
    let rows = order(of: part).map { name in
      let counts = part.entities[name]
      let sum = counts.map { $0.inserted + $0.updated + $0.unchanged } ?? 0
      return ImportReport.Row(
        entity: name,
        counts: isRepeated
          ? .init(unchanged: sum)
          : .init(
            inserted: counts?.inserted ?? 0, updated: counts?.updated ?? 0,
            unchanged: counts?.unchanged ?? 0, deleted: counts?.deleted ?? 0,
            skipped: counts?.skipped ?? 0))
    }
    return ImportReport(
      mapping: part.as, isDryRun: false, bytes: part.bytes, rootObjects: part.rootObjects,
      duration: duration, entities: rows, errors: [], unseen: [])
  }

  /// The entities as they follow each other in `expected.json`, which a dictionary forgets.
  private func order(of part: Part) -> [String] {
    let bytes = (try? Files.bytes(of: Files.mappings + "/expected.json")) ?? []
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.range(of: #""as": "\#(part.as)""#)?.upperBound else { return [] }
    return part.entities.keys
      .map { name in (text.range(of: #""\#(name)":"#, range: start..<text.endIndex)?.lowerBound, name) }
      .sorted { ($0.0 ?? text.endIndex) < ($1.0 ?? text.endIndex) }
      .map(\.1)
  }
}
