package import FastMapCore
import FastMapStoreTesting
import Foundation
import Testing

/// One file of `Mappings/` with its part of `expected.json`.
package struct Corpus: CustomTestStringConvertible, Sendable {
  /// One import.
  package struct Part: Decodable, Sendable {
    fileprivate struct Counts: Decodable, Sendable {
      let inserted, updated, unchanged, deleted, skipped: Int
      /// None if left out.
      let stubs: Int?
    }

    package let `as`: String
    package let file: String
    package let rootObjects: Int
    fileprivate let bytes: Int
    fileprivate let entities: [String: Counts]
  }

  /// A mapping may stand for one import or for several.
  private struct Parts: Decodable {
    let parts: [Part]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      parts = try (try? container.decode([Part].self)) ?? [try container.decode(Part.self)]
    }
  }

  package let name: String
  package let parts: [Part]
  package var testDescription: String { name }
  package var mappings: String { Self.folder + "/\(name).json" }
  package var path: String { (Files.realDocuments ?? "") + "/" + parts[0].file }

  private static let folder = Files.root + "/Tests/TestSupport/Mappings"

  package static let all: [Corpus] = {
    do {
      let bytes = try Files.bytes(of: folder + "/expected.json")
      let table = try JSONDecoder().decode([String: Parts].self, from: Data(bytes))
      return table.keys.sorted().map { Corpus(name: $0, parts: table[$0]?.parts ?? []) }
    } catch {
      preconditionFailure("expected.json: \(error)")
    }
  }()

  /// All of them, or if small the two with the least text.
  package static let inSize: [Corpus] = {
    let ascending = all.sorted { $0.byteCount < $1.byteCount }
    return Array(ascending.prefix(TestSize.count(small: 2, whole: all.count)))
  }()

  private var byteCount: Int { parts.reduce(0) { $0 + $1.bytes } }

  package func plan(_ mapping: String) throws -> Plan {
    try MappingSet(file: Files.bytes(of: mappings)).plan(for: mapping)
  }

  package func take(_ part: Part, into store: some Store) throws -> ImportReport {
    try Mapper(store).importJSON(.file(path), as: try plan(part.as))
  }

  /// The report that an import is to return, which may take any time.
  ///
  /// - Parameters:
  ///   - report: The one that it has returned.
  ///   - isRepeated: Whether all of it is in the store already.
  package func expected(_ part: Part, _ report: ImportReport, isRepeated: Bool = false) -> ImportReport {
    var expected = report
    expected.entities = order(of: part).map { name in
      let counts = part.entities[name]
      let sum = counts.map { $0.inserted + $0.updated + $0.unchanged } ?? 0
      return ImportReport.Row(
        entity: name,
        counts: isRepeated
          ? .init(unchanged: sum)
          : .init(
            inserted: counts?.inserted ?? 0, updated: counts?.updated ?? 0,
            unchanged: counts?.unchanged ?? 0, deleted: counts?.deleted ?? 0,
            skipped: counts?.skipped ?? 0, stubs: counts?.stubs ?? 0))
    }
    (expected.mapping, expected.isDryRun) = (part.as, false)
    (expected.bytes, expected.rootObjects) = (part.bytes, part.rootObjects)
    (expected.errors, expected.errorCount, expected.unseen) = ([], 0, [])
    (expected.notes, expected.conflicts, expected.attempts) = ([], [], 1)
    return expected
  }

  /// The entities as they follow each other in `expected.json`, which a dictionary forgets.
  private func order(of part: Part) -> [String] {
    let bytes = (try? Files.bytes(of: Self.folder + "/expected.json")) ?? []
    let text = String(decoding: bytes, as: UTF8.self)
    guard let start = text.range(of: #""as": "\#(part.as)""#)?.upperBound else { return [] }
    return part.entities.keys
      .map { name in (text.range(of: #""\#(name)":"#, range: start..<text.endIndex)?.lowerBound, name) }
      .sorted { ($0.0 ?? text.endIndex) < ($1.0 ?? text.endIndex) }
      .map(\.1)
  }
}
