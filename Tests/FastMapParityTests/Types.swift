import FastMapCore
import Foundation

enum Color: String, OrderedAttributeValue { case red, green, blue }

enum Level: Int, OrderedAttributeValue {
  case low = -1
  case middle
  case high = 300
}

enum Role: String, AttributeValueWithFallback, OrderedAttributeValue {
  case admin, guest, other
  static let fallback = Role.other
}

enum Grade: Int, AttributeValueWithFallback, OrderedAttributeValue {
  case poor = 1
  case fair = 5
  case good = 9
  static let fallback = Grade.fair
}

/// A Codable value as JSON.
struct Coded<Value: Codable & Equatable & Sendable>: AttributeValue, Equatable, Sendable {
  var value: Value

  init(_ value: Value) { self.value = value }

  static var attributeType: AttributeType { .json }

  static var expectation: (@Sendable (JSONValue) -> String?)? {
    { json in
      (try? JSONDecoder().decode(Value.self, from: Data(json.text.utf8))) == nil ? "a \(Value.self)" : nil
    }
  }

  init?(_ field: Field) {
    guard let bytes = field.bytes, let value = try? JSONDecoder().decode(Value.self, from: Data(bytes)) else {
      return nil
    }
    self.value = value
  }

  func write(to field: inout FieldWriter) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    guard let data = try? encoder.encode(value) else { return field.setNull() }
    data.withUnsafeBytes { field.set(json: $0) }
  }
}

/// A type of a program that is stored as an integer of its own choice.
struct Cents: AttributeValue, OrderedAttributeValue, Comparable, Sendable {
  var count: Int64

  static var attributeType: AttributeType { .integer }

  init(_ count: Int64) { self.count = count }

  init?(_ field: Field) {
    guard let count = field.integer else { return nil }
    self.count = count
  }

  func write(to field: inout FieldWriter) { field.set(integer: count) }

  static func < (a: Cents, b: Cents) -> Bool { a.count < b.count }
}
