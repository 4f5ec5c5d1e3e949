import FastMapCore
import FastMapInference
import FastMapMemory
import TestSupport
import Testing

/// Public payloads, where they are on this machine.
@Suite struct CorpusTests {
  /// A document, and lines of the mapping that a person would write.
  static let documents: [(file: String, lines: [String])] = [
    (
      "jsonplaceholder.json",
      [
        #""rootPath": "posts""#, #""user": {"mapping": "UserRef", "keyPath": "userId""#,
        #""post": {"mapping": "PostRef", "keyPath": "postId""#, #""address": {"mapping": "Address"}"#,
      ]
    ),
    (
      "twitter.json",
      [
        #""rootPath": "statuses""#, #""user": {"mapping": "User"}"#,
        #""retweeted_status": {"mapping": "Status"}"#,
        #""created_at": {"type": "date", "format": "%a %b %d %H:%M:%S %z %Y"}"#,
      ]
    ),
    (
      "citm_catalog.json",
      [
        #""rootPath": "performances""#, #""keyedBy": "id""#,
        #""event": {"mapping": "EventRef", "keyPath": "eventId""#,
        #""start": {"type": "date", "format": "epoch-ms"}"#,
      ]
    ),
    (
      "github_events.json",
      [#""actor": {"mapping": "User"}"#, #""repo": {"mapping": "Repo"}"#, #""created_at": "date""#]
    ),
    ("bestbuy_categories.json", [#""path": {"mapping": "BestbuyCategory", "toMany": true}"#]),
    ("canada.json", [#""rootPath": "features""#, #""coordinates": "json""#]),
    ("twitter_timeline.json", [#""user": {"mapping": "User"}"#]),
    ("amazon_cellphones.ndjson", [#""column1": {"type": "string", "keyPath": "[0]"}"#]),
  ]

  @Test(.enabled(if: Files.realDocuments != nil), arguments: documents.indices)
  func aDocumentGetsTheMappingOfAPersonAndIsImportedWithIt(_ index: Int) throws {
    let (file, lines) = Self.documents[index]
    let bytes = try Files.bytes(of: (Files.realDocuments ?? "") + "/" + file)
    let isLines = file.hasSuffix(".ndjson")
    var inference = Inference()
    try inference.add(text: String(decoding: bytes, as: UTF8.self), isLines: isLines, file: file)
    let result = try inference.result()
    let text = result.file.fileText
    for line in lines { #expect(text.contains(line), "\(line)") }
    #expect(result.unread == [])
    let set = try Array(text.utf8).withUnsafeBytes { try MappingSet(file: $0) }
    let store = MemoryStore()
    for root in result.roots {
      let options = ImportOptions(format: isLines ? .ndjson : .json)
      let report = try Mapper(store).importJSON(bytes, as: try set.plan(for: root), options: options)
      #expect(report.errorCount == 0 && report.rootObjects > 0)
    }
  }
}
