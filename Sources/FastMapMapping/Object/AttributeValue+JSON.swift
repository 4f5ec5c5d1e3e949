internal import CFastMap

extension JSONWriter {
  /// Writes a Swift value in the format of its type.
  package mutating func value<V: AttributeValue>(_ value: V) {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    withUnsafeMutablePointer(to: &slot) { slot in
      withUnsafeMutablePointer(to: &arena) { arena in
        var field = FieldWriter(slot, arena)
        value.write(to: &field)
      }
      if !append(slot.pointee, as: .plain) { null() }
    }
  }
}

extension JSONValue {
  /// Lends the value as a field of a property's type, or as null if it has another type.
  package func withField<V: AttributeValue, R>(of type: V.Type, _ body: (Field) -> R) -> R {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    return withUnsafeMutablePointer(to: &slot) { slot in
      withUnsafeMutablePointer(to: &arena) { arena in
        if let read = V.reading, !isNull {
          var field = FieldWriter(slot, arena)
          if read(self, &field) != nil { field.setNull() }
        } else {
          V.attributeType.convert(self, takesUnsigned: V.takesUnsigned, to: &slot.pointee, &arena.pointee)
        }
        return body(Field(slot.pointee))
      }
    }
  }
}

extension AttributeValue {
  /// The expectation that the type reports for a value; nil if the type accepts the value or has no expectation.
  static func refusal(of value: JSONValue) -> String? {
    guard let read = reading else { return nil }
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    return withUnsafeMutablePointer(to: &slot) { slot in
      withUnsafeMutablePointer(to: &arena) { arena in
        var field = FieldWriter(slot, arena)
        return read(value, &field)
      }
    }
  }
}
