import PlainJansson

/// A reference to a jansson value, which keeps the order of members. Used to make workloads, and never measured.
final class JSONTree {
  enum Scalar {
    case integer(Int)
    case string(String)
  }

  private let value: UnsafeMutablePointer<json_t>

  private init(adopting value: UnsafeMutablePointer<json_t>) { self.value = value }

  private convenience init(sharing value: UnsafeMutablePointer<json_t>) {
    self.init(adopting: json_incref(value))
  }

  convenience init(parsing text: [UInt8]) throws {
    let tree = text.withUnsafeBytes { json_loadb($0.baseAddress, $0.count, 0, nil) }
    guard let tree else { throw WrongOutcome(description: "expected JSON") }
    self.init(adopting: tree)
  }

  deinit { json_decref(value) }

  func copy() -> JSONTree { JSONTree(adopting: json_deep_copy(value)) }

  subscript(name: String) -> JSONTree? { json_object_get(value, name).map { JSONTree(sharing: $0) } }

  /// The members, in order; empty if it is not an object.
  var members: [(name: String, value: JSONTree)] {
    guard value.pointee.type == JSON_OBJECT else { return [] }
    var members: [(name: String, value: JSONTree)] = []
    var place = json_object_iter(value)
    while let at = place {
      members.append(
        (String(cString: json_object_iter_key(at)), JSONTree(sharing: json_object_iter_value(at))))
      place = json_object_iter_next(value, at)
    }
    return members
  }

  /// The elements; empty if it is not an array.
  var elements: [JSONTree] {
    (0..<json_array_size(value)).compactMap { json_array_get(value, $0).map { JSONTree(sharing: $0) } }
  }

  var integer: Int? { value.pointee.type == JSON_INTEGER ? Int(json_integer_value(value)) : nil }
  var string: String? { json_string_value(value).map { String(cString: $0) } }

  func set(_ name: String, _ scalar: Scalar) {
    switch scalar {
    case .integer(let integer): json_object_set_new(value, name, json_integer(json_int_t(integer)))
    case .string(let string): json_object_set_new(value, name, json_string(string))
    }
  }

  func remove(_ name: String) { json_object_del(value, name) }

  func setElements(_ elements: [JSONTree]) {
    json_array_clear(value)
    for element in elements { json_array_append_new(value, json_incref(element.value)) }
  }

  func write(to text: inout [UInt8]) {
    withUnsafeMutablePointer(to: &text) { text in
      _ = json_dump_callback(
        value,
        { bytes, count, text in
          text?.assumingMemoryBound(to: [UInt8].self).pointee.append(
            contentsOf: UnsafeRawBufferPointer(start: bytes, count: count))
          return 0
        }, text, size_t(JSON_COMPACT))
    }
  }
}
