import FastMapCore
import FastMapFoundation
import Foundation
import TestSupport
import Testing

/// Stored texts that Foundation's types cannot hold, beside the texts of FastMapParityTests.
@Suite struct UnreadableTests {
  private final class Item<Value: AttributeValue> {
    var id = 0
    var value: Value?
  }

  struct Case: Sendable, CustomTestStringConvertible {
    let type: String
    let json: String
    let isUnreadable: Bool
    let read: @Sendable (any Store) throws -> String
    var testDescription: String { "\(type) \(json)" }

    /// - Parameter isLenient: A lenient attribute reads stored values by the same rule.
    static func of<Value: AttributeValue & Sendable>(
      _ type: Value.Type, _ json: String, isUnreadable: Bool = true, isLenient: Bool = false
    ) -> Case {
      let mapping = Mapping(Item<Value>.self, "Item", primaryKey: "id", make: { Item<Value>() }) {
        Attribute("id", \.id)
        isLenient ? Attribute("value", \.value).lenient : Attribute("value", \.value)
      }
      return Case(
        type: "\(type)", json: json, isUnreadable: isUnreadable,
        read: { store in try store.read { "\(try $0.object(mapping, key: 1)!.value!)" } })
    }
  }

  private static let cases: [Case] = [
    .of(URL.self, #""https://example.org/a b""#, isUnreadable: false),
    .of(UUID.self, #""""#, isLenient: true),
    .of(UUID.self, #""e621e1f8-c36c-495a-93fc-0c247a3e6e5f""#, isUnreadable: false),
    .of(Decimal.self, "1e400"),
    .of(Decimal.self, "12.50", isUnreadable: false),
    .of([URL].self, #"["https://example.org",""]"#),
    .of([URL].self, #"["https://example.org",7]"#),
    .of([[Decimal]].self, #"[["1"],["1,5"]]"#),
    .of([Decimal].self, #"["1",2.5]"#, isUnreadable: false),
    .of([Data].self, #"["AP8=","*"]"#),
    .of([Date].self, #"["2020-01-01T00:00:00Z","yesterday"]"#),
  ]

  @Test(arguments: StoreKind.allCases, cases)
  func aTextThatATypeCannotHoldIsAnErrorOfTheRead(_ kind: StoreKind, _ item: Case) throws {
    let store = try kind.make()
    let wide: Mapping<Record> = Mapping("Item", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute(
        "value", item.type.hasSuffix(">") ? .json : item.type == "\(Decimal.self)" ? .decimal : .string)
    }
    _ = try Mapper(store).importJSON(#"{"id":1,"value":\#(item.json)}"#, as: wide)
    if item.isUnreadable {
      let error = #expect(throws: UnreadableValueError.self) { _ = try item.read(store) }
      #expect(
        error.map { item.json.hasPrefix($0.found.prefix(40)) } == true
          && error?.type == "Optional<\(item.type)>")
    } else {
      _ = try item.read(store)
    }
  }
}
