import FastMapCore
import TestSupport
import Testing

/// Types of properties that cannot hold every stored value of their kind.
enum Narrow {
  enum Tier: String, AttributeValue { case bronze, silver }
  enum Grade: Int8, AttributeValue { case good = 1, bad = 5 }

  enum Status: String, AttributeValueWithFallback {
    case open, closed, other
    static let fallback = Status.other
  }

  enum Level: Int, AttributeValueWithFallback {
    case low = 1
    case unknown = 0
    static let fallback = Level.unknown
  }

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

/// A stored value, and the property that is to show it.
struct NarrowCase: Sendable, CustomTestStringConvertible {
  let type: String
  let json: String
  /// The value in the error; nil for one that the property shows.
  let found: String?
  /// The value that the property shows.
  let shown: String
  /// Stores an object, and one with a value that the property holds.
  let store: @Sendable (any Store) throws -> Void
  /// The calls that make instances.
  let reads: [@Sendable (any Store) throws -> String]
  /// An import that shows the stored object.
  let imports: @Sendable (any Store) throws -> String
  /// A read that leaves out unreadable objects: the keys that it found, and the objects that it left out.
  let skip: @Sendable (any Store) throws -> (found: [Int], unreadable: UnreadableObjects)
  /// A read without instances.
  let plain: @Sendable (any Store) throws -> String

  var testDescription: String { "\(type) \(json)" }

  var message: String? {
    found.map { "Item 1.value: expected a value of \(type), found \($0) in the store" }
  }

  /// - Parameters:
  ///   - kind: The type of the stored value.
  ///   - found: The value in the message; nil for a value that the property shows as `shown`.
  static func of<Value: AttributeValue & Sendable>(
    _ initial: Value, _ kind: AttributeType, _ json: String, _ found: String?, shows shown: String = "",
    isLenient: Bool = false
  ) -> NarrowCase {
    let mapping = Narrow.Item<Value>.mapping({ initial }, isLenient: isLenient)
    return NarrowCase(
      type: "\(Value.self)", json: json, found: found, shown: shown,
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
        { store in try store.read { "\(try $0.object(mapping, key: 1)!.value)" } },
        { store in try store.read { "\(try $0.objects(mapping)[0].value)" } },
        { store in try store.read { "\(try $0.objects(mapping.keys([2, 1]))[0].value)" } },
        { store in try store.read { "\(try $0.first(mapping.query)!.value)" } },
        { store in try store.read { "\(try $0.page(mapping.query).elements[0].value)" } },
        { store in
          let context = try ObjectContext(store, for: mapping)
          defer { context.end() }
          return "\(try context.object(mapping, key: 1)!.value)"
        },
        { store in
          let context = try ObjectContext(store, for: mapping)
          defer { context.end() }
          return "\(try context.objects(mapping)[0].value)"
        },
      ],
      imports: { store in
        let context = try ObjectContext(store, for: mapping)
        defer { context.end() }
        return "\(try context.objects(from: #"{"id":1,"name":"a"}"#, as: mapping)[0].value)"
      },
      skip: { store in
        let unreadable = UnreadableObjects()
        let found = try store.read { try $0.objects(mapping, unreadable: .skip(unreadable)).map(\.id) }
        return (found, unreadable)
      },
      plain: { store in
        let count = try store.read { snapshot in
          let filter = try Filter("@.value || @.id >= 0")
          try #expect(snapshot.records(mapping.where(filter)).count == 2)
          try #expect(snapshot.keys(mapping.query) == [1, 2])
          return try snapshot.count(mapping.where(filter))
        }
        return "\(count) \(try store.exported(mapping))"
      })
  }
}
