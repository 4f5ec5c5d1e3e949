internal import CFastMap

/// How a type shows a stored value without a case of its own.
package enum Fallback: Sendable {
  /// As its fallback, with this stored form.
  case value(Value)
  case elements
}

extension AttributeValue {
  /// The fallback of the type; nil for a type that shows stored values as they are.
  static var fallbackForm: Fallback? {
    if let type = Unwrapped.self as? any AttributeValueWithFallback.Type {
      return .value(type.storedFallback)
    }
    return collection?.elementFallback == nil ? nil : .elements
  }
}

extension AttributeValueWithFallback {
  fileprivate static var storedFallback: Value {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    return withUnsafeMutablePointer(to: &slot) { slot in
      withUnsafeMutablePointer(to: &arena) { arena in
        var field = FieldWriter(slot, arena)
        fallback.write(to: &field)
        return slot.pointee.value ?? .null
      }
    }
  }
}

extension ValueCollection {
  fileprivate static var elementFallback: Fallback? { ElementValue.fallbackForm }
}

extension AttributeAccess {
  /// Whether a property shows a value if, and only if, the store has it.
  package func storesAsShown(_ value: Value) -> Bool {
    switch fallback {
    case nil: return true
    case .elements?: return false
    case .value(let other)?:
      if value == .null { return true }
      var buffer = RowBuffer()
      buffer.reset(count: 2)
      buffer.set(value, at: 0)
      return value != other && buffer.normalise(buffer.unsafeRow[0], self, at: 1)
        && buffer.slots[1].value == value
    }
  }
}
