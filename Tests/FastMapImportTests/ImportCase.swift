import FastMapCore
import Testing

/// A payload, and what its import reports and leaves.
struct ImportCase: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The policies with the same result; nil for those of most cases.
  var policies: [RelationshipPolicy]?
  /// The objects that are stored before.
  var start = "[]"
  let payload: String
  let report: String
  var errors: [String] = []
  let dump: String
}
