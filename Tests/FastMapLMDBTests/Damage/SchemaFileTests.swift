import FastMapCore
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

@testable import FastMapLMDB

/// The description of the schema beside the data is always as new as the data, and nothing needs it.
@Suite struct SchemaFileTests {
  let scratch = Scratch()
  private var file: String { scratch.store + "/" + SchemaFile.name }

  private static func item(_ fields: [String], _ index: String? = nil) -> Mapping<Record> {
    Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      for field in fields { Attribute(field, .string) }
      ToMany("notes", Mapping("Note") { Attribute("text", .string) })
      if let index { Index(index) }
    }
  }

  private func take(_ mapping: Mapping<Record>, _ json: String = #"{"id": 1}"#) throws {
    let store = try LMDBStore(at: scratch.store, holding: json, as: mapping)
    withExtendedLifetime(store) {}
  }

  private func read(_ path: String) throws -> StoreLayout {
    try #require(StoreLayout(schemaText: try Files.bytes(of: path)))
  }

  /// What the data says.
  private func stored() throws -> StoreLayout {
    let store = try LMDBStore(at: scratch.store)
    return try store.environment.read { try StoreLayout($0.view, store.tables) }
  }

  private func identity() throws -> UInt64 {
    FileID(try #require(try FileSystem.status(of: file))).inode
  }

  @Test func eachChangeOfTheSchemaIsDescribed() throws {
    for mapping in [
      Self.item([]), Self.item(["text"]), Self.item(["text"], "text"),
      Self.item(["text", "more \"\n\u{0}ä"]),
    ] {
      try take(mapping)
      #expect(try read(file).hasSchema(of: stored()))
      #expect(permissions(of: file) == 0o600)
    }
    try take(Mapping("Thing", primaryKey: "id", was: "Item") { Attribute("id", .integer) }, "[]")
    #expect(try read(file).entities.map(\.name) == ["Thing", "Note"])
  }

  @Test func anUnchangedSchemaIsNotWritten() throws {
    try take(Self.item(["text"]))
    let before = try identity()
    try take(Self.item(["text"]), #"[{"id": 1, "text": "new"}, {"id": 2}]"#)
    try take(Self.item([]), #"{"id": 3}"#)
    #expect(try identity() == before)
  }

  /// A store that was copied without it, or beside another one's, has it again after a commit.
  @Test(arguments: [nil, "{}", "{\"fastmap\": 1, \"entities\": []}"])
  func aMissingOrWrongDescriptionIsReplaced(
    _ text: String?
  ) throws {
    try take(Self.item(["text"]))
    unlink(file)
    if let text { write(Array(text.utf8), to: file) }
    withExtendedLifetime(try LMDBStore(at: scratch.store)) {}
    #expect(text != nil || size(of: file) == -1)
    try take(Self.item(["text"]), #"{"id": 2}"#)
    #expect(try read(file).hasSchema(of: stored()))
  }

  @Test func backupsAndCompactedStoresHaveIt() throws {
    try take(Self.item(["text"]))
    let text = try Files.bytes(of: file)
    let copy = scratch.path + "/copy.db"
    try withExtendedLifetime(LMDBStore(at: scratch.store)) { try $0.backup(to: copy) }
    #expect(try Files.bytes(of: copy + "/" + SchemaFile.name) == text)
    try LMDBStore.compact(at: scratch.store)
    #expect(try Files.bytes(of: file) == text)
  }

  /// Something is in the way, as a full disk would be.
  @Test func anImportWhoseDescriptionCannotBeWrittenFailsBeforeItCommits() throws {
    try take(Self.item([]))
    let text = try Files.bytes(of: file)
    mkdir(scratch.store + "/" + SchemaFile.newName, 0o700)
    try take(Self.item([]), #"{"id": 2}"#)
    #expect(
      thrown(LMDBError.self) { try take(Self.item(["text"]), #"{"id": 3}"#) }?.reason == .io(errno: EEXIST))
    #expect(try Files.bytes(of: file) == text)
    #expect(try stored().entities[0].fields.map(\.name) == ["id", "notes"])
    let store = try LMDBStore(at: scratch.store)
    #expect(try store.count(Self.item([])) == 2)
    try store.expectSound()
    rmdir(scratch.store + "/" + SchemaFile.newName)
    try store.take(#"{"id": 3}"#, as: Self.item(["text"]))
  }

  /// The directory of an open store may move.
  @Test func aMovedStoreIsDescribedWhereItIs() throws {
    let store = try LMDBStore(at: scratch.store, holding: #"{"id": 1}"#, as: Self.item([]))
    let moved = scratch.path + "/moved.db"
    #expect(rename(scratch.store, moved) == 0)
    try store.take(#"{"id": 2}"#, as: Self.item(["text"]))
    #expect(try read(moved + "/" + SchemaFile.name).entities[0].fields.count == 3)
    #expect(size(of: scratch.store) == -1)
  }

  @Test(arguments: [
    "", "x", "[]", "null", "{}", #"{"fastmap": 2, "entities": []}"#, #"{"fastmap": 1}"#,
    #"{"fastmap": 1, "entities": [1]}"#, #"{"fastmap": 1, "entities": [{"name": ""}]}"#,
    #"{"fastmap": 1, "entities": [{"name": "A", "fields": []}, {"name": "A", "fields": []}]}"#,
    #"{"fastmap": 1, "entities": [{"name": "A", "fields": [{"name": "x", "type": "y"}]}]}"#,
    #"{"fastmap": 1, "entities": [{"name": "A", "key": "date", "fields": []}]}"#,
    #"{"fastmap": 1, "entities": [{"name": "A", "fields": [{"name": "x", "type": "integer", "isKey": true}]}]}"#,
    #"{"fastmap": 1, "entities": [{"name": "A", "fields": [{"name": "x", "type": "to-one", "entity": "B"}]}]}"#,
    #"{"fastmap": 1, "entities": [{"name": "A", "fields": []}], "indexes": [{"number": -1, "entity": "A"}]}"#,
    #"{"fastmap": 1, "entities": [{"name": "A", "fields": []}], "indexes": [{"number": 1, "entity": "A", "fields": [{"name": "x"}]}]}"#,
    String(repeating: "[", count: 100_000), #"{"fastmap": 1, "entities": [\u0000]}"#,
  ]) func aTextThatIsNoSchemaIsRefused(_ text: String) {
    #expect(StoreLayout(schemaText: Array(text.utf8)) == nil)
  }
}
