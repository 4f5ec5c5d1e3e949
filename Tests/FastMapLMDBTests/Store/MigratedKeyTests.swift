import FastMapCore
import FastMapLMDB
import FastMapSystem
import TestSupport
import Testing

/// Conversions of primary keys: each object has a key of its own afterwards, or nothing has changed.
@Suite struct MigratedKeyTests {
  private let scratch = Scratch()

  private static func item(_ kind: AttributeType) -> Mapping<Record> {
    Mapping("Item", primaryKey: "id") {
      Attribute("id", kind)
      Attribute("name", .string)
    }
  }

  private func open(_ change: Migration) throws -> LMDBStore {
    let configuration = LMDBStore.Configuration.with { $0.migrations = [change] }
    return try LMDBStore(at: scratch.store, configuration: configuration)
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    var kind = AttributeType.integer
    var keys = ["1", "2", "3"]
    let change: Migration
  }

  static let cases = [
    Case(
      testDescription: "the key of an object before it, which keeps its own",
      change: .convert("id", of: "Item", to: .integer) { $0 == .integer(3) ? .integer(1) : $0 }),
    Case(
      testDescription: "the key of an object behind it, which keeps its own",
      change: .convert("id", of: "Item", to: .integer) { $0 == .integer(1) ? .integer(3) : $0 }),
    Case(
      testDescription: "one new key for two",
      change: .convert("id", of: "Item", to: .integer) { $0 == .integer(2) ? $0 : .integer(9) }),
    Case(
      testDescription: "one new key for two, of another type",
      change: .convert("id", of: "Item", to: .string) { .string($0 == .integer(2) ? "b" : "a") }),
    Case(
      testDescription: "a string that another object keeps", kind: .string, keys: [#""a""#, #""b""#],
      change: .convert("id", of: "Item", to: .string) { $0 == .string("b") ? .string("a") : $0 }),
    Case(
      testDescription: "strings of the same length", kind: .string, keys: [#""a""#, #""bb""#, #""c""#],
      change: .convert("id", of: "Item", to: .integer) { value in
        guard case .string(let text) = value else { return nil }
        return .integer(Int64(text.utf8.count))
      }),
  ]

  @Test(arguments: cases)
  func aConversionThatGivesTwoObjectsOneKeyIsRefused(_ test: Case) throws {
    let mapping = Self.item(test.kind)
    let objects = test.keys.map { #"{"id":\#($0),"name":"n"}"# }
    try LMDBStore(at: scratch.store).take("[\(objects.joined(separator: ","))]", as: mapping)
    let before = try Files.bytes(of: scratch.dataFile)
    let refusal = thrown(LMDBError.self) { _ = try open(test.change) }?.description
    #expect(refusal?.contains("two objects would have the key") == true, "\(refusal ?? "no error")")
    #expect(try Files.bytes(of: scratch.dataFile) == before)
    let store = try LMDBStore(at: scratch.store)
    #expect(try store.export(mapping) == objects)
    try store.expectSound()
  }

  @Test func manyKeysChangePlaces() throws {
    let count = 5000  // more than are written at a time
    let objects = (0..<count).map { #"{"id":\#($0),"name":"n\#($0)"}"# }
    let mapping = Self.item(.integer)
    try LMDBStore(at: scratch.store).take("[\(objects.joined(separator: ","))]", as: mapping)
    let store = try open(
      .convert("id", of: "Item", to: .integer) { value in
        guard case .integer(let key) = value else { return nil }
        return .integer(Int64(count - 1) - key)
      })
    #expect(try store.export(mapping) == (0..<count).map { #"{"id":\#($0),"name":"n\#(count - 1 - $0)"}"# })
    try store.expectSound()
  }
}
