import FastMapCore
import FastMapFoundation
import Foundation
import TestSupport
import Testing

/// The keys of new instances, and variables as keys.
@Suite struct ContextKeyTests {
  final class Note {
    var id = 0
    var text: String?
    static let mapping = Mapping(Note.self, "Note", primaryKey: "id", make: { Note() }) {
      Attribute("id", \.id)
      Attribute("text", \.text)
    }
    static let insert = Mapping(
      Note.self, "Note", primaryKey: "id", missingPrimaryKey: .insert, make: { Note() }
    ) {
      Attribute("id", \.id)
      Attribute("text", \.text)
    }
  }

  final class Draft {
    var id: Int?
    var text: String?
    var next: Draft?
    static let mapping: Mapping<Draft> = Mapping(Draft.self, "Draft", primaryKey: "id", make: { Draft() }) {
      Attribute("id", \.id)
      Attribute("text", \.text)
      ToOne("next", \.next, Draft.mapping)
    }
  }

  final class Page {
    var name = ""
    static let mapping = Mapping(Page.self, "Page", primaryKey: "name", make: { Page() }) {
      Attribute("name", \.name)
    }
  }

  final class Device {
    var id = UUID()
    static let mapping = Mapping(Device.self, "Device", primaryKey: "id", make: { Device() }) {
      Attribute("id", \.id)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aKeyThatEveryNewInstanceHasIsNotSet(_ kind: StoreKind) throws {
    let store = try kind.make()
    let context = try ObjectContext(store, for: Note.mapping, Page.mapping)
    defer { context.end() }
    try context.insert(Note(), as: Note.mapping)
    let expected = "which every new instance has; set another one, or make the property optional"
    #expect(message { try context.save() } == "a new object of Note: expected a key, found 0, \(expected)")
    try context.rollBack()
    try context.insert(Page(), as: Page.mapping)
    #expect(
      message { try context.save() } == "a new object of Page: expected a key, found \"\", \(expected)")
    #expect(try store.read { try $0.count(Note.mapping) + $0.count(Page.mapping) } == 0)
  }

  // FEM-172
  @Test(arguments: StoreKind.allCases)
  func aDraftGetsItsKeyFromAPayload(_ kind: StoreKind) throws {
    let store = try kind.make()
    let context = try ObjectContext(store, for: Note.mapping, Draft.mapping)
    defer { context.end() }
    let note = Note()
    note.text = "new"
    try context.insert(note, as: Note.mapping)
    try context.fill(note, from: #"{"id":6}"#, as: Note.mapping)
    #expect((note.id, note.text) == (6, "new"))
    let draft = Draft()
    (draft.text, draft.next) = ("new", Draft())
    draft.next?.id = 0
    try context.fill(draft, from: #"{"id":0,"next":{"id":1}}"#, as: Draft.mapping)
    #expect((draft.id, draft.text) == (0, "new"))
    #expect(try store.read { try $0.objects(Draft.mapping).map(\.id) } == [0, 1])
  }

  @Test(arguments: StoreKind.allCases)
  func zeroIsAKeyOfAnOptionalPropertyAndOfAnImport(_ kind: StoreKind) throws {
    let store = try kind.make(#"{"id":0,"text":"a"}"#, as: Note.mapping)
    let context = try ObjectContext(store, for: Note.mapping, Draft.mapping)
    defer { context.end() }
    let note = try #require(try context.object(Note.mapping, key: 0))
    note.text = "b"
    let draft = Draft()
    draft.id = 0
    try context.insert(draft, as: Draft.mapping)
    try context.save()
    #expect(try store.read { try $0.object(Note.mapping, key: 0)?.text } == "b")
    #expect(try store.read { try $0.object(Draft.mapping, key: 0)?.id } == 0)
  }

  @Test(arguments: StoreKind.allCases)
  func anImportIsNotAboutADraftWithoutAKey(_ kind: StoreKind) throws {
    let store = try kind.make()
    let context = try ObjectContext(store, for: Note.mapping)
    defer { context.end() }
    let note = Note()
    note.text = "draft"
    try context.insert(note, as: Note.mapping)
    _ = try context.importJSON(#"{"id":0,"text":"other"}"#, as: Note.mapping)
    #expect((note.id, note.text) == (0, "draft"))
    note.id = 1
    try context.save()
    #expect(try store.read { try $0.objects(Note.mapping).map(\.text) } == ["other", "draft"])
  }

  @Test(arguments: StoreKind.allCases)
  func anUnsetKeyIsNoneWhereAMappingTakesObjectsWithoutOne(_ kind: StoreKind) throws {
    let store = try kind.make()
    let context = try ObjectContext(store, for: Note.insert)
    defer { context.end() }
    try context.insert(Note(), as: Note.insert)
    try context.insert(Note(), as: Note.insert)
    try context.save()
    #expect(try store.read(Note.insert) { try $0.records("Note").map(\.key) } == [nil, nil])
  }

  enum Code: String, PrimaryKeyConvertible { case first = "a", second = "b" }

  @Test(arguments: StoreKind.allCases)
  func aVariableIsAKey(_ kind: StoreKind) throws {
    let store = try kind.make()
    let context = try ObjectContext(store, for: Device.mapping, Note.mapping, Page.mapping)
    defer { context.end() }
    let (device, note, page) = (Device(), Note(), Page())
    (note.id, page.name) = (7, "a")
    try context.insert(device, as: Device.mapping)
    try context.insert(note, as: Note.mapping)
    try context.insert(page, as: Page.mapping)
    try context.save()
    #expect(try context.object(Device.mapping, key: device.id) === device)
    #expect(try context.object(Note.mapping, key: note.id) === note)
    #expect(try context.object(Page.mapping, key: Code.first) === page)
    #expect(try store.read { try $0.object(Device.mapping, key: device.id)?.id } == device.id)
    #expect(try store.read(Note.mapping) { try $0.record("Note", key: note.id)?.key } == 7)
    #expect(try store.read { try $0.exists(Page.mapping.keys([Code.second])) } == false)
    #expect(try store.delete(Device.mapping, key: device.id).total == 1)
  }
}
