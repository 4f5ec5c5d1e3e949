import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Real documents through the mappings of `TestSupport/Mappings`, on every store.
@Suite(
  .enabled(if: Files.realDocuments != nil, "no corpora: set FASTMAP_CORPORA to the directory that has real/"))
struct CorpusOnEveryStoreTests {
  /// The reports equal `expected.json`, the export equals the export of an LMDB store, and a second import of the
  /// same changes nothing.
  @Test(arguments: StoreKind.allCases, Corpus.inSize)
  func aCorpusIsTheSameInEveryStore(_ kind: StoreKind, _ corpus: Corpus) throws {
    let store = try kind.make()
    for part in corpus.parts {
      let report = try corpus.take(part, into: store)
      #expect(report == corpus.expected(part, report))
    }
    let other = try StoreKind.lmdb.make()
    for part in corpus.parts { _ = try corpus.take(part, into: other) }
    for part in corpus.parts {
      let report = try corpus.take(part, into: store)
      #expect(report == corpus.expected(part, report, isRepeated: true))
      let plan = try corpus.plan(part.as)
      let (found, expected) = (try store.exported(plan, as: .ndjson), try other.exported(plan, as: .ndjson))
      #expect(found.utf8.count > 1000)
      #expect(found == expected, "\(part.as)")
    }
  }
}
