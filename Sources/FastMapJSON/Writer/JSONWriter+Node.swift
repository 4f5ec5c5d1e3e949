internal import CFastMapJansson

extension JSONWriter {
  /// Writes a whole tree. Integers stay integers, and reals stay reals.
  ///
  /// Nesting uses the heap, not the stack.
  ///
  /// - Parameters:
  ///   - node: Borrowed for the call.
  ///   - keepsReals: Whether numbers are written as their text had them, if that was kept. Reals beyond `Double` always are.
  /// - Complexity: O(*n*) in the values of the tree.
  package mutating func append(_ node: JSONNode, _ bigIntegers: BigIntegers? = nil, keepsReals: Bool = false)
  {
    /// The remaining parts of the open arrays and objects.
    enum Rest {
      case elements(IndexingIterator<JSONNode.Elements>)
      case members(JSONNode.Members)
    }
    var open: [Rest] = []
    var pending = Optional(node)
    while true {
      if let node = pending {
        pending = nil
        if let elements = node.elements {
          beginArray()
          open.append(.elements(elements.makeIterator()))
        } else if let members = node.members {
          beginObject()
          open.append(.members(members))
        } else {
          append(scalar: node, bigIntegers, keepsReals)
        }
      }
      switch open.popLast() {
      case nil:
        return
      case .elements(var elements):
        pending = elements.next()
        if pending == nil { endArray() } else { open.append(.elements(elements)) }
      case .members(var members):
        if let member = members.next() {
          name(member.name)
          pending = member.value
          open.append(.members(members))
        } else {
          endObject()
        }
      }
    }
  }

  private mutating func append(scalar node: JSONNode, _ bigIntegers: BigIntegers?, _ keepsReals: Bool) {
    switch node.kind {
    case JSON_STRING: string(node.text ?? UnsafeBufferPointer(start: nil, count: 0))
    case JSON_INTEGER:
      let value = json_integer_value(node.pointer)
      if value == 0, keepsReals, let text = bigIntegers?.text(of: node) { raw(text) } else { integer(value) }
    case JSON_REAL:
      let value = json_real_value(node.pointer)
      let keepsText = keepsReals || abs(value) == .greatestFiniteMagnitude
      if let text = keepsText ? bigIntegers?.text(of: node) : bigIntegers?.digits(of: node) {
        raw(text)
      } else {
        number(value)
      }
    case JSON_TRUE: boolean(true)
    case JSON_FALSE: boolean(false)
    default: null()
    }
  }
}
