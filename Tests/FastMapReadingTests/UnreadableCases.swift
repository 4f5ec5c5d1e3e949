import FastMapCore
import TestSupport
import Testing

/// Types of properties that cannot hold every stored value of their kind.
enum Narrow {
  enum Tier: String, AttributeValue { case bronze, silver }

  /// Reads no text without an `@`.
  struct Address: AttributeValue, Equatable {
    var text = "@"
    static var attributeType: AttributeType { .string }

    init() {}

    init?(_ field: Field) {
      guard let text = field.string, text.contains("@") else { return nil }
      self.text = text
    }

    func write(to field: inout FieldWriter) { field.set(string: text) }
  }

  final class Item<Value: AttributeValue> {
    var id = 0
    var value: Value
    var name: String?

    init(_ value: Value) { self.value = value }

    static func mapping(
      _ initial: @escaping @Sendable () -> Value, isLenient: Bool = false
    ) -> Mapping<Item<Value>> {
      Mapping(Item<Value>.self, "Item", primaryKey: "id", make: { Item<Value>(initial()) }) {
        Attribute("id", \.id)
        isLenient ? Attribute("value", \.value).lenient : Attribute("value", \.value)
        Attribute("name", \.name)
      }
    }
  }
}

/// A stored value that a property cannot hold.
struct NarrowCase: Sendable, CustomTestStringConvertible {
  let type: String
  let json: String
  /// The value in the error.
  let found: String
  /// Stores an object, and one with a value that the property holds.
  let store: @Sendable (any Store) throws -> Void
  /// The calls that make instances.
  let reads: [@Sendable (any Store) throws -> Void]
  /// An import that shows the stored object.
  let imports: @Sendable (any Store) throws -> Void

  var testDescription: String { "\(type) \(json)" }

  var message: String { "Item 1.value: expected a value of \(type), found \(found) in the store" }

  /// - Parameters:
  ///   - kind: The type of the stored value.
  ///   - found: The value in the message.
  static func of<Value: AttributeValue & Sendable>(
    _ initial: Value, _ kind: AttributeType, _ json: String, _ found: String, isLenient: Bool = false
  ) -> NarrowCase {
    let mapping = Narrow.Item<Value>.mapping({ initial }, isLenient: isLenient)
    @Sendable func inContext(_ store: any Store, _ use: (ObjectContext) throws -> Void) throws {
      let context = try ObjectContext(store, for: mapping)
      defer { context.end() }
      try use(context)
    }
    return NarrowCase(
      type: "\(Value.self)", json: json, found: found,
      store: { store in
        let wide: Mapping<Record> = Mapping("Item", primaryKey: "id") {
          Attribute("id", .integer)
          Attribute("value", kind)
          Attribute("name", .string)
        }
        _ = try Mapper(store).importJSON(
          #"[{"id":1,"value":\#(json),"name":"a"},{"id":2,"name":"b"}]"#, as: wide)
      },
      reads: [
        { store in try store.read { _ = try $0.object(mapping, key: 1) } },
        { store in try store.read { _ = try $0.objects(mapping) } },
        { store in try store.read { _ = try $0.objects(mapping.keys([2, 1])) } },
        { store in try store.read { _ = try $0.first(mapping.query) } },
        { store in try store.read { _ = try $0.page(mapping.query) } },
        { store in try inContext(store) { _ = try $0.object(mapping, key: 1) } },
        { store in try inContext(store) { _ = try $0.objects(mapping) } },
      ],
      imports: { store in
        try inContext(store) { _ = try $0.objects(from: #"{"id":1,"name":"a"}"#, as: mapping) }
      })
  }
}
