import FastMapLMDB
import FastMapStoreTesting
import TestSupport
import Testing

/// An export of the tool, imported into an empty store, makes the same store.
@Suite(
  .enabled(if: Files.realDocuments != nil, "no corpora: set FASTMAP_CORPORA to the directory that has real/"))
struct RoundTripTests {
  let scratch = Scratch()

  @Test(.enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"), arguments: Corpus.inSize)
  func anExportMakesTheSameStore(_ corpus: Corpus) throws {
    for part in corpus.parts { try expectDone(importing(corpus, part.as, corpus.path, into: "first.db")) }
    for part in corpus.parts {
      let first = try exporting(corpus, part.as, from: "first.db")
      let file = scratch.path + "/\(part.as).ndjson"
      write(first.bytes, to: file)
      let copy = part.as + ".db"
      // An exported object stands at the root of its line, not at the mapping's root path.
      try expectDone(importing(corpus, part.as, file, into: copy))
      let second = try exporting(corpus, part.as, from: copy)
      #expect(first.lines.count >= part.rootObjects)
      #expect(first.output == second.output, "\(part.as)")
      try LMDBStore(at: scratch.path + "/" + copy).expectSound()
    }
  }

  @Test(.enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"), arguments: Corpus.inSize)
  func anExportImportedWhereItCameFromChangesNothing(_ corpus: Corpus) throws {
    for part in corpus.parts { try expectDone(importing(corpus, part.as, corpus.path, into: "first.db")) }
    let data = scratch.path + "/first.db/data.mdb"
    let before = try Files.bytes(of: data)
    for part in corpus.parts {
      let file = scratch.path + "/\(part.as).ndjson"
      write(try exporting(corpus, part.as, from: "first.db").bytes, to: file)
      try expectDone(importing(corpus, part.as, file, into: "first.db"))
    }
    #expect(try Files.bytes(of: data) == before)
  }

  /// The tool and the library export the same.
  @Test(.enabled(if: FastMapTool.isBuilt, "no fastmap beside the tests"))
  func theToolExportsAsTheLibrary() throws {
    let corpus = try #require(Corpus.all.first { $0.name == "twitter" })
    try expectDone(importing(corpus, "Tweet", corpus.path, into: "first.db"))
    let run = try exporting(corpus, "Tweet", from: "first.db")
    let store = try LMDBStore(at: scratch.path + "/first.db")
    #expect(try run.lines == store.export(corpus.plan("Tweet")))
  }

  private func importing(
    _ corpus: Corpus, _ mapping: String, _ file: String, into store: String, _ options: [String] = []
  ) throws -> Program.Run {
    try FastMapTool.run(call("import", corpus, mapping, store) + options + [file], in: scratch)
  }

  private func exporting(_ corpus: Corpus, _ mapping: String, from store: String) throws -> Program.Run {
    let run = try FastMapTool.run(call("export", corpus, mapping, store), in: scratch)
    expectDone(run)
    return run
  }

  private func call(_ command: String, _ corpus: Corpus, _ mapping: String, _ store: String) -> [String] {
    [command, "--store", scratch.path + "/" + store, "--mappings", corpus.mappings, "--as", mapping]
  }

  private func expectDone(_ run: Program.Run, _ location: SourceLocation = #_sourceLocation) {
    #expect(run.ending == .exited(0), "\(run.errors)", sourceLocation: location)
  }
}
