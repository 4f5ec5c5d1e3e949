import FastMapCore
import FastMapFoundation
import TestSupport

/// An object with properties of one type, in every way a class may have them.
final class Box<V: AttributeValue & Hashable & Sendable> {
  var id = 0
  var value: V
  var maybe: V?
  var list: [V]?
  var set: Set<V>?
  var gaps: [V?]?

  init(_ value: V) { self.value = value }

  static func mapping(_ initial: V, as type: AttributeType? = nil) -> Mapping<Box<V>> {
    Mapping(Box<V>.self, "Box", primaryKey: "id", make: { Box<V>(initial) }) {
      Attribute("id", \.id)
      Attribute("value", \.value, at: "value", as: type)
      Attribute("maybe", \.maybe, at: "maybe", as: type)
      Attribute("list", \.list)
      Attribute("set", \.set)
      Attribute("gaps", \.gaps)
    }
  }
}

/// A store under test with the boxes in it.
struct Shelf<V: AttributeValue & Hashable & Sendable> {
  let store: any Store
  let mapping: Mapping<Box<V>>

  /// Makes an empty store.
  init(_ kind: StoreKind, _ initial: V, as type: AttributeType? = nil) throws {
    store = try kind.make()
    mapping = Box.mapping(initial, as: type)
  }

  /// Imports a box and returns it.
  @discardableResult
  func load(_ members: String) throws -> Box<V> { try Self.load(store, "{\"id\":1,\(members)}", mapping) }

  /// The counts of importing a box: `.unchanged` for a box with its stored values.
  func report(_ members: String) throws -> ImportReport.Counts? {
    try Mapper(store).importJSON(Array("{\"id\":1,\(members)}".utf8), as: mapping)["Box"]
  }

  /// The box as JSON, without its id.
  func text() throws -> String {
    try store.exported(mapping)
      .replacing(#"[{"id":1,"#, with: "").replacing(#"[{"id":1"#, with: "").replacing("}]", with: "")
  }

  /// An instance as JSON, without its id.
  func text(of box: Box<V>) throws -> String {
    try Serializer(mapping).json(of: box)
      .replacing(#"{"id":1,"#, with: "").replacing(#"{"id":1"#, with: "").replacing("}", with: "")
  }

  /// The message of an import that must fail.
  func failure(of members: String) -> String? {
    do {
      try load(members)
      return nil
    } catch let error as MappingError {
      return "\(error.path): \(error.message)"
    } catch {
      return "\(error)"
    }
  }

  private static func load(
    _ store: some Store, _ json: String, _ mapping: Mapping<Box<V>>
  ) throws -> Box<V> {
    try Mapper(store).roundTrip(Array(json.utf8), as: mapping)[0]
  }
}
