/// An object being assembled: the kept JSON, and the texts of fields added to it.
///
/// Key paths limit its depth, not counting kept JSON.
package indirect enum OutputTree {
  case kept(JSONValue)
  /// The text of a field.
  case placed(ArraySlice<UInt8>)
  case object([Member])
  /// Unknown elements are null. `isList` is set once a field has given the number of elements.
  case array([OutputTree?], isList: Bool)

  package struct Member {
    var name: [UInt8]
    var value: OutputTree?
  }

  /// Adds a field's text at its path. If another field already has a value there, that value stays.
  ///
  /// - Parameter join: Merges the kept JSON at the end of the path with the text.
  static func place(
    _ text: ArraySlice<UInt8>, at path: ArraySlice<JSONKeyPath.Step>, in tree: inout OutputTree?,
    _ join: (JSONValue, ArraySlice<UInt8>) throws -> OutputTree
  ) throws {
    guard let step = path.first else {
      switch tree {
      case nil: tree = .placed(text)
      case .placed(let null) where null.isNull: tree = .placed(text)
      case .kept(let kept) where !text.isNull: tree = try join(kept, text)
      default: break
      }
      return
    }
    let rest = path.dropFirst()
    switch step {
    case .member(let name):
      guard var members = removeMembers(&tree) else { return }
      let index = members.firstIndex { $0.name.elementsEqual(name.utf8) } ?? members.count
      if index == members.count { members.append(Member(name: Array(name.utf8))) }
      try place(text, at: rest, in: &members[index].value, join)
      tree = .object(members)
    case .index(let index):
      guard case (var elements, let isList)? = removeElements(&tree) else { return }
      while elements.count <= index { elements.append(nil) }
      try place(text, at: rest, in: &elements[index], join)
      tree = .array(elements, isList: isList)
    case .each:
      if text.isNull {
        if tree == nil { tree = .placed(text) }
        return
      }
      guard let texts = text.elements else {
        throw UnwritableValue(
          reason:
            "expected a list for a key path with [], found other JSON; the transform's `writing` closure must return a list"
        )
      }
      guard case (var elements, let isList)? = removeElements(&tree) else { return }
      if !isList { elements.removeLast(max(0, elements.count - texts.count)) }
      while elements.count < texts.count { elements.append(nil) }
      for (index, element) in texts.enumerated() where !element.isNull {
        try place(element, at: rest, in: &elements[index], join)
      }
      tree = .array(elements, isList: true)
    }
  }

  /// Removes the members from a place. Nil if a field has put a value without members there.
  private static func removeMembers(_ tree: inout OutputTree?) -> [Member]? {
    switch tree {
    case .object(let members):
      tree = nil
      return members
    case .kept(let value):
      return value.node.members?.map {
        Member(name: Array($0.name), value: .kept(JSONValue($0.value, value.bigIntegers)))
      } ?? []
    case nil: return []
    case .placed(let text): return text.isNull ? [] : nil
    case .array: return nil
    }
  }

  private static func removeElements(_ tree: inout OutputTree?) -> ([OutputTree?], isList: Bool)? {
    switch tree {
    case .array(let elements, let isList):
      tree = nil
      return (elements, isList)
    case .kept(let value):
      return (value.node.elements?.map { .kept(JSONValue($0, value.bigIntegers)) } ?? [], false)
    case nil: return ([], false)
    case .placed(let text):
      return text.isNull ? ([], false) : text.elements.map { ($0.map { .placed($0) }, true) }
    case .object: return nil
    }
  }
}

extension JSONWriter {
  /// Writes a tree as the next value.
  package mutating func append(_ tree: OutputTree?) {
    switch tree {
    case nil: null()
    case .kept(let value): append(value.node, value.bigIntegers, keepsReals: true)
    case .placed(let text): append(written: text)
    case .object(let members):
      beginObject()
      for member in members {
        member.name.withUnsafeBufferPointer { name($0) }
        append(member.value)
      }
      endObject()
    case .array(let elements, _):
      beginArray()
      for element in elements { append(element) }
      endArray()
    }
  }

  /// Writes a value from another writer, unchanged or with new indentation.
  private mutating func append(written text: ArraySlice<UInt8>) {
    text.withUnsafeBufferPointer { text in
      if isPretty,
        let document = try? JSONDocument(
          parsing: UnsafeRawBufferPointer(text), maxDepth: Int(UInt32.max), keepsReals: true)
      {
        document.withRoot { append($0, document.bigIntegers, keepsReals: true) }
      } else {
        raw(text)
      }
    }
  }
}

/// JSON text from a writer.
extension ArraySlice<UInt8> {
  var isNull: Bool { elementsEqual("null".utf8) }

  /// The texts of an array's elements; nil for another value.
  var elements: [ArraySlice<UInt8>]? {
    guard first == UInt8(ascii: "["), last == UInt8(ascii: "]") else { return nil }
    var elements: [ArraySlice<UInt8>] = []
    var depth = 0
    var isInString = false
    var start = startIndex + 1
    var index = start
    func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A }
    func add(_ end: Int) {
      var (start, end) = (start, end)
      while start < end, isSpace(self[start]) { start += 1 }
      while start < end, isSpace(self[end - 1]) { end -= 1 }
      if start < end { elements.append(self[start..<end]) }
    }
    while index < endIndex - 1 {
      switch self[index] {
      case UInt8(ascii: "\\") where isInString: index += 1
      case UInt8(ascii: "\""): isInString.toggle()
      case _ where isInString: break
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
      case UInt8(ascii: ",") where depth == 0:
        add(index)
        start = index + 1
      default: break
      }
      index += 1
    }
    add(endIndex - 1)
    return elements
  }
}
