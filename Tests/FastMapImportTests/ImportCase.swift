import FastMapCore
import Testing

/// A payload, the report of its import, and the store after it.
struct ImportCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The policies with the same result; nil for the policies of most cases.
  var policies: [RelationshipPolicy]?
  /// The objects that are stored before.
  var start = "[]"
  let payload: String
  let report: String
  var errors: [String] = []
  let dump: String
}
