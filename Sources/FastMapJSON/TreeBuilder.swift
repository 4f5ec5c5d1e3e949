internal import CFastMap
internal import CFastMapJansson

/// Makes the values of a jansson tree, and keeps the texts of numbers that a tree cannot hold.
///
///     let builder = TreeBuilder()
///     let object = builder.object()
///     builder.set(builder.integer(7), for: "id", in: object)
///     let document = builder.document(object)
///
/// A value belongs to its caller until it is set in another one, or released.
package final class TreeBuilder {
  /// C: `fastmap_big_integers *`
  private var table: OpaquePointer?

  package init() {}

  deinit { fastmap_big_integers_free(table) }

  /// The document of a value, which takes it.
  package func document(_ root: JSONNode) -> JSONDocument {
    defer { table = nil }
    return JSONDocument(root, table: table)
  }

  package func release(_ node: JSONNode) { fastmap_tree_release(node.unsafePointer) }

  // MARK: Values

  package func null() -> JSONNode { .null }
  package func boolean(_ value: Bool) -> JSONNode { made(value ? json_true() : json_false()) }
  package func integer(_ value: Int64) -> JSONNode { made(json_integer(json_int_t(value))) }
  package func array() -> JSONNode { made(json_array()) }
  package func object() -> JSONNode { made(json_object()) }

  /// A finite number.
  package func real(_ value: Double) -> JSONNode { made(json_real(value)) }

  package func string(_ text: String) -> JSONNode {
    var text = text
    return text.withUTF8 { string($0) }
  }

  package func string(_ utf8: UnsafeBufferPointer<UInt8>) -> JSONNode {
    utf8.withMemoryRebound(to: CChar.self) { made(json_stringn_nocheck($0.baseAddress ?? empty, $0.count)) }
  }

  /// A number with all its digits.
  package func number(_ text: String) -> JSONNode {
    if let integer = Int64(text) { return self.integer(integer) }
    let value = Double(text) ?? 0
    let node = real(value.isFinite ? value : value.sign == .minus ? -Self.largest : Self.largest)
    var text = text
    let isInteger = text.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x2D }
    let isKept = text.withUTF8 {
      fastmap_number_text_add(&table, node.unsafePointer, $0.baseAddress, $0.count, isInteger)
    }
    precondition(isKept, "no memory for a JSON tree")
    return node
  }

  private static var largest: Double { .greatestFiniteMagnitude }

  // MARK: Trees

  /// Appends a value to an array, which takes it.
  package func append(_ node: JSONNode, to array: JSONNode) {
    check(json_array_append_new(array.unsafePointer, node.unsafePointer))
  }

  /// Sets a member of an object, which takes the value.
  package func set(_ node: JSONNode, for name: String, in object: JSONNode) {
    var name = name
    name.withUTF8 { name in
      name.withMemoryRebound(to: CChar.self) {
        check(
          json_object_setn_new_nocheck(
            object.unsafePointer, $0.baseAddress ?? empty, $0.count, node.unsafePointer))
      }
    }
  }

  /// The same array or object, whose elements ascend by their texts, or whose members ascend by their names.
  package func sorted(_ node: JSONNode) -> JSONNode {
    if let elements = node.elements {
      let texts = elements.map { JSONValue($0, table.map { BigIntegers($0) }).keptText }
      let result = array()
      for index in texts.indices.sorted(by: { texts[$0] < texts[$1] }) {
        append(JSONNode(json_incref(elements[index].unsafePointer)), to: result)
      }
      release(node)
      return result
    }
    guard let members = node.members else { return node }
    let named = members.map { (String(decoding: $0.name, as: UTF8.self), $0.value) }
    let result = object()
    for (name, value) in named.sorted(by: { $0.0 < $1.0 }) {
      set(JSONNode(json_incref(value.unsafePointer)), for: name, in: result)
    }
    release(node)
    return result
  }

  /// A copy of a value of a document.
  package func copy(_ document: JSONDocument) -> JSONNode {
    document.withRoot { copy(JSONValue($0, document.bigIntegers)) }
  }

  private func copy(_ value: JSONValue) -> JSONNode {
    switch value.kind {
    case .null: return null()
    case .boolean: return boolean(value.boolean ?? false)
    case .integer: return integer(value.integer ?? 0)
    case .number: return number(value.keptText)
    case .string: return value.node.text.map { string($0) } ?? null()
    case .array:
      let result = array()
      for element in value.node.elements ?? .init(array: value.node) {
        append(copy(JSONValue(element, value.bigIntegers)), to: result)
      }
      return result
    case .object:
      let result = object()
      for (name, member) in value.members ?? [] { set(copy(member), for: name, in: result) }
      return result
    }
  }

  private func made(_ pointer: UnsafeMutablePointer<json_t>?) -> JSONNode {
    guard let pointer else { preconditionFailure("no memory for a JSON tree") }
    return JSONNode(pointer)
  }

  private func check(_ result: Int32) { precondition(result == 0, "no memory for a JSON tree") }
}

/// The address of no bytes.
nonisolated(unsafe) private let empty: UnsafePointer<CChar> = {
  let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
  byte.initialize(to: 0)
  return UnsafePointer(byte)
}()

extension JSONNode {
  fileprivate var unsafePointer: UnsafeMutablePointer<json_t> { UnsafeMutablePointer(mutating: pointer) }
}
