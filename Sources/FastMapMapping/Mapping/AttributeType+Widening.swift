package import FastMapStoreKit

extension AttributeType {
  /// Converts stored values of another kind without loss; nil for a kind that only an attribute without values leaves.
  ///
  /// An integer becomes a number, if a Double holds it, or a decimal. A number becomes a decimal. Any value becomes JSON, and any
  /// scalar a list of it.
  package func widening(from old: AttributeKind) -> AttributeConversion.Widening? {
    switch (old, self) {
    case (.integer, .number): Self.number
    case (.integer, .decimal), (.number, .decimal): { converted($0) }
    case (.json, _): nil
    case (_, .json): { converted($0) }
    case (_, .list(let element)) where element.kind == old:
      { element.text(of: $0).flatMap { converted(.json("[" + $0 + "]")) } }
    default: nil
    }
  }

  private static func number(_ value: Value) -> Value? {
    let found: Double? =
      switch value {
      case .integer(let value): Double(exactly: value)
      case .unsigned(let value): Double(exactly: value)
      default: nil
      }
    return found.map { .number($0) }
  }

  /// The JSON of a value of this type. A date has its format; nil if that does not hold all of it.
  private func text(of value: Value) -> String? {
    guard case .date(let format) = self, let first = format.all.first, first != .iso8601 else {
      return AttributeType.json.converted(value)?.text
    }
    var buffer = RowBuffer()
    buffer.reset(count: 1)
    buffer.set(value, at: 0)
    var writer = JSONWriter()
    let isWritten =
      switch first {
      case .epoch: writer.append(buffer.slots[0], as: .epoch)
      case .epochMilliseconds: writer.append(buffer.slots[0], as: .epochMilliseconds)
      case .pattern(let pattern):
        Array(pattern.utf8).withUnsafeBufferPointer { writer.append(buffer.slots[0], as: .pattern($0)) }
      case .iso8601, .anyOf: false
      }
    let text = String(decoding: writer.bytes, as: UTF8.self)
    return isWritten && converted(.json(text)) == value ? text : nil
  }
}

extension AttributeDefinition {
  /// How stored values of another kind become its values; nil for the members that no field reads.
  var widening: AttributeConversion.Rule? {
    if isRest { return nil }
    let type = type
    return { type.widening(from: $0) }
  }
}

extension Value {
  fileprivate var text: String { if case .json(let text) = self { text } else { "" } }
}
