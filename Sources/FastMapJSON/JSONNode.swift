package import CFastMapJansson
internal import FastMapSystem

/// One value of a jansson tree, borrowed from its document.
package struct JSONNode {
  package let pointer: UnsafePointer<json_t>

  package init(_ pointer: UnsafePointer<json_t>) { self.pointer = pointer }

  package init?(unsafe raw: UnsafeRawPointer?) {
    guard let raw else { return nil }
    pointer = raw.assumingMemoryBound(to: json_t.self)
  }

  /// The null that all trees share.
  package static var null: JSONNode { JSONNode(UnsafePointer(json_null())) }

  package var kind: json_type { pointer.pointee.type }

  package var isNull: Bool { kind == JSON_NULL }
  package var isObject: Bool { kind == JSON_OBJECT }

  /// The elements of an array; nil for anything else.
  package var elements: Elements? { kind == JSON_ARRAY ? Elements(array: self) : nil }

  /// The number of members of an object; 0 for anything else.
  package var memberCount: Int { kind == JSON_OBJECT ? json_object_size(pointer) : 0 }

  /// The members of an object in their order; nil for anything else.
  package var members: Members? { kind == JSON_OBJECT ? Members(object: self) : nil }

  /// The UTF-8 of a string; nil for anything else.
  package var text: UnsafeBufferPointer<UInt8>? {
    guard kind == JSON_STRING, let bytes = json_string_value(pointer) else { return nil }
    return UnsafeBufferPointer(
      start: UnsafeRawPointer(bytes).assumingMemoryBound(to: UInt8.self), count: json_string_length(pointer))
  }

  package var string: String? { text.map { String(decoding: $0, as: UTF8.self) } }

  package subscript(name: String) -> JSONNode? {
    var name = name
    return name.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { json_object_getn(pointer, $0.baseAddress, $0.count) }
    }.map { JSONNode(UnsafePointer($0)) }
  }

  package subscript(step: JSONKeyPath.Step) -> JSONNode? {
    switch step {
    case .member(let name): isObject ? self[name] : nil
    case .index(let index): elements.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    case .each: nil
    }
  }

  package struct Elements: RandomAccessCollection {
    let array: JSONNode

    package init(array: JSONNode) {
      self.array = array
    }
    package var startIndex: Int { 0 }
    package var endIndex: Int { json_array_size(array.pointer) }
    package subscript(index: Int) -> JSONNode {
      guard let element = json_array_get(array.pointer, index) else {
        preconditionFailure("an index beyond the array")
      }
      return JSONNode(UnsafePointer(element))
    }
  }

  package struct Members: Sequence, IteratorProtocol {
    private let object: UnsafeMutablePointer<json_t>
    private var iterator: UnsafeMutableRawPointer?

    // jansson iterates with a mutable pointer, but mutates nothing.
    package init(object: JSONNode) {
      self.object = UnsafeMutablePointer(mutating: object.pointer)
      iterator = json_object_iter(self.object)
    }

    package mutating func next() -> (name: UnsafeBufferPointer<UInt8>, value: JSONNode)? {
      guard let current = iterator, let key = json_object_iter_key(current),
        let value = json_object_iter_value(current)
      else { return nil }
      iterator = json_object_iter_next(object, current)
      let name = UnsafeRawPointer(key).assumingMemoryBound(to: UInt8.self)
      return (
        UnsafeBufferPointer(start: name, count: json_object_iter_key_len(current)),
        JSONNode(UnsafePointer(value))
      )
    }
  }
}

extension JSONNode {
  /// Finds members of one object by name, without a search where they are asked for in their order.
  package struct MemberSearch {
    /// The member after the last found member.
    private var next: UnsafeMutableRawPointer?

    package init(_ object: JSONNode) {
      next = object.isObject ? json_object_iter(UnsafeMutablePointer(mutating: object.pointer)) : nil
    }

    /// The member with a name; nil if the object has none.
    package mutating func find(_ name: String, in object: JSONNode) -> JSONNode? {
      let tree = UnsafeMutablePointer(mutating: object.pointer)
      var member = next
      if member.map({ isMember($0, named: name) }) != true {
        member = name.withCString { json_object_iter_at(tree, $0) }
      }
      // A name with NUL is cut there.
      guard let member, json_object_iter_key_len(member) == name.utf8.count else {
        return name.utf8.contains(0) ? object[name] : nil
      }
      next = json_object_iter_next(tree, member)
      return json_object_iter_value(member).map { JSONNode(UnsafePointer($0)) }
    }

    /// The member after the last found member, if it has the name and is not null.
    @inline(__always)
    package mutating func find(next name: String, in object: JSONNode) -> JSONNode? {
      guard let member = next, isMember(member, named: name),
        let value = json_object_iter_value(member).map({ JSONNode(UnsafePointer($0)) }), !value.isNull
      else { return nil }
      next = json_object_iter_next(UnsafeMutablePointer(mutating: object.pointer), member)
      return value
    }

    @inline(__always) private func isMember(_ member: UnsafeMutableRawPointer, named name: String) -> Bool {
      guard let key = json_object_iter_key(member) else { return false }
      var name = name
      return name.withUTF8 { name in
        guard let start = name.baseAddress else { return false }
        return json_object_iter_key_len(member) == name.count && memcmp(key, start, name.count) == 0
      }
    }
  }
}

extension JSONNode {
  /// The value as error messages show it: a short value as it is, any other as its kind.
  package var found: String {
    switch kind {
    case JSON_OBJECT: "an object"
    case JSON_ARRAY: "an array"
    case JSON_STRING: "the string " + quoted(string ?? "")
    case JSON_INTEGER: "the number \(json_integer_value(pointer))"
    case JSON_REAL: "the number \(json_real_value(pointer))"
    case JSON_TRUE: "true"
    case JSON_FALSE: "false"
    default: "null"
    }
  }
}

extension JSONNode {
  package func value(at keyPath: JSONKeyPath) -> JSONNode? {
    var node: JSONNode? = self
    for step in keyPath.steps { node = node?[step] }
    return node
  }
}
