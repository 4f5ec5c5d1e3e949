import FastMapCore
import TestSupport
import Testing

/// Calls that take a reader, whatever its schema.
@Suite struct SerializerReaderTests {
  private static let patient = Mapping("Patient", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }
  private static let invoice = Mapping("Invoice", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("memo", .string)
  }
  private static let written = #"[{"id":1,"memo":"paid"}]"#

  private func filled(_ kind: StoreKind) throws -> any Store {
    let store = try kind.make(#"[{"id":1,"name":"Ada"}]"#, as: Self.patient)
    _ = try Mapper(store).importJSON(Self.written, as: Self.invoice)
    return store
  }

  private static func invoices(_ snapshot: inout Snapshot) throws -> String {
    var text = ""
    try Serializer(invoice).export(from: &snapshot.reader) { text += String(decoding: $0, as: UTF8.self) }
    return text
  }

  @Test(arguments: StoreKind.allCases)
  func anExportWritesItsOwnMappingFromAnyReader(_ kind: StoreKind) throws {
    let store = try filled(kind)
    let texts = [
      try store.read { try Self.invoices(&$0) },
      try store.read { snapshot in
        _ = try snapshot.count(Self.patient)
        return try Self.invoices(&snapshot)
      },
      try store.read(Self.patient) { try Self.invoices(&$0) },
    ]
    #expect(texts == Array(repeating: Self.written, count: 3))
  }

  @Test(arguments: StoreKind.allCases)
  func eachCallOfASerializerSetsItsOwnSchema(_ kind: StoreKind) throws {
    let store = try filled(kind)
    let serializer = try Serializer(Self.invoice)
    let id = try #require(try store.read(Self.invoice) { try $0.find(1, of: "Invoice") })
    func text(_ body: (inout any StoreReader, inout JSONWriter) throws -> Void) throws -> String {
      var output = JSONWriter()
      try store.read(Self.patient) { try body(&$0.reader, &output) }
      return output.withBytes { String(decoding: $0, as: UTF8.self) }
    }
    func exported(_ body: (inout any StoreReader, (UnsafeRawBufferPointer) -> Void) throws -> Void) throws
      -> String
    {
      var text = ""
      try store.read(Self.patient) { snapshot in
        try body(&snapshot.reader) { text += String(decoding: $0, as: UTF8.self) }
      }
      return text
    }
    #expect(try text { try serializer.write(id, from: &$0, to: &$1) } == #"{"id":1,"memo":"paid"}"#)
    #expect(try text { try serializer.writeDocument(id, from: &$0, to: &$1) } == #"{"id":1,"memo":"paid"}"#)
    #expect(try text { try serializer.writeDocument([id], from: &$0, to: &$1) } == Self.written)
    #expect(try exported { _ = try serializer.export([id], from: &$0, to: $1) } == Self.written)
    #expect(try exported { _ = try serializer.exportTable(from: &$0, to: $1) } == Self.written)
    #expect(
      try exported { _ = try serializer.exportPage(serializer.plan.query, from: &$0, to: $1) } == Self.written
    )
  }

  @Test(arguments: StoreKind.allCases)
  func aSnapshotReadsWithItsOwnNamesAfterAnExport(_ kind: StoreKind) throws {
    let store = try filled(kind)
    try store.read(Self.patient) { snapshot in
      func exported<R>(_ body: (inout Snapshot) throws -> R) throws -> R {
        _ = try Self.invoices(&snapshot)
        return try body(&snapshot)
      }
      #expect(try exported { try $0.record("Patient", key: 1)?["name"] } == "Ada")
      #expect(try exported { try $0.records("Patient").map { $0["name"] } } == ["Ada"])
      #expect(try exported { try $0.records(Self.patient).map { $0["name"] } } == ["Ada"])
      #expect(try exported { try $0.count(of: "Patient") } == 1)
      let id = try #require(try exported { try $0.find(1, of: "Patient") })
      #expect(try exported { try $0.record(id, of: "Patient")?["name"] } == "Ada")
    }
  }

  @Test(arguments: StoreKind.allCases)
  func aRecordHasTheFieldsOfTheSchemaThatItIsAskedWith(_ kind: StoreKind) throws {
    let store = try filled(kind)
    let schema = try Self.invoice.plan().schema
    let id = try #require(try store.read(Self.invoice) { try $0.find(1, of: "Invoice") })
    let record = try store.read(Self.patient) { try $0.reader.record(id, of: 0, in: schema) }
    #expect(record?["memo"] == "paid")
  }

  private struct Exporting: ImportDelegate {
    func didMapObject(_ object: MappedObject, from representation: JSONValue) throws {
      #expect(try SerializerReaderTests.invoices(&object.store) == SerializerReaderTests.written)
    }
  }

  @Test(arguments: StoreKind.allCases)
  func anImportGoesOnAfterItsDelegateHasExportedAnotherMapping(_ kind: StoreKind) throws {
    let store = try filled(kind)
    let options = ImportOptions(delegate: Exporting())
    let json = #"[{"id":1,"name":"Bob"},{"id":2,"name":"Tom"}]"#
    _ = try Mapper(store).importJSON(json, as: Self.patient, options: options)
    #expect(try store.read(Self.patient) { try $0.records("Patient").map { $0["name"] } } == ["Bob", "Tom"])
    #expect(try store.read { try Self.invoices(&$0) } == Self.written)
  }
}
