import FastMapInference
import TestSupport
import Testing

/// Changes of a person, which survive the next run.
@Suite struct OverrideTests {
  private let payload =
    #"{"statuses":[{"id":1,"user":{"id":5,"n":"a"},"user_id":5,"x":1},{"id":2,"user":{"id":6,"n":"b"},"user_id":6}]}"#

  private func infer(_ overrides: String) throws -> Inference.Result {
    var inference = Inference()
    try inference.add(text: payload)
    let tree = try Array(overrides.utf8).withUnsafeBytes { try JSONTree(parsing: $0) }
    return try inference.result(overrides: tree)
  }

  @Test func typesAreReplacedAndFieldsRemoved() throws {
    let result = try infer(
      #"{"mappings": {"Status": {"attributes": {"x": {"type": "number", "keyPath": "x"}}, "relationships": {"user": null}}}}"#
    )
    let text = result.file.fileText
    #expect(text.contains(#""x": {"type": "number", "keyPath": "x"}"#))
    #expect(!text.contains(#""user": {"mapping": "User"}"#))
    #expect(result.unread.contains("$.statuses[].user.n: 2 values that no mapping reads"))
  }

  @Test func aRenamedEntityIsFollowedByItsReferences() throws {
    let text = try infer(#"{"mappings": {"User": {"entity": "Person"}}}"#).file.fileText
    #expect(text.contains("\"User\": {\n      "))
    #expect(text.components(of: #""entity": "Person""#) == 2)
  }

  @Test func aFieldOfTheOtherSortReplacesTheInferredOne() throws {
    let text = try infer(
      #"{"mappings": {"Status": {"attributes": {"user": "json"}}}}"#
    ).file.fileText
    #expect(text.contains(#""user": "json""#))
    #expect(!text.contains(#""user": {"mapping": "User"}"#))
  }

  @Test func aMappingOfTheOverridesAloneIsNamed() throws {
    let result = try infer(#"{"mappings": {"Usr": {"attributes": {}}}}"#)
    #expect(result.notes.contains("Usr: a mapping of the overrides alone; none with the name is inferred"))
  }
}

extension String {
  /// How often a text occurs.
  fileprivate func components(of text: String) -> Int {
    var (count, rest) = (0, self[...])
    while let range = rest.firstRange(of: text) {
      count += 1
      rest = rest[range.upperBound...]
    }
    return count
  }
}
