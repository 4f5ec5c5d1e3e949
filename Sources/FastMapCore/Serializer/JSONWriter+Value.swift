internal import CFastMap

extension JSONWriter {
  /// Writes a Swift value in the form of its type.
  mutating func value<V: AttributeValue>(_ value: V) {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    var field = FieldWriter(&slot, &arena)
    value.write(to: &field)
    if !append(slot, as: .plain) { null() }
  }
}
