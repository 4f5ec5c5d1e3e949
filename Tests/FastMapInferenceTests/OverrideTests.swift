import FastMapCore
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
    #expect(result.unread.contains("$.statuses[].user.n: 2 values that no field reads"))
  }

  @Test func oneMemberOfAnAttributeIsAdded() throws {
    let text = try infer(#"{"mappings": {"Status": {"attributes": {"x": {"default": 5}}}}}"#).file.fileText
    #expect(text.contains(#""x": {"type": "integer", "default": 5}"#))
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

  struct Stranger: Sendable, CustomTestStringConvertible {
    let overrides: String
    let notes: [String]
    var testDescription: String { overrides }

    /// - Parameter notes: Without `overrides: $.mappings`.
    init(_ overrides: String, _ notes: String...) { (self.overrides, self.notes) = (overrides, notes) }
  }

  static let strangers = [
    Stranger(
      #"{"Usr": {"attributes": {}}}"#, #".Usr: no mapping of this name is inferred; did you mean "User"?"#),
    Stranger(#"{"Cars": {"attributes": {"x": null}}}"#, ".Cars: no mapping of this name is inferred"),
    Stranger(#"{"Statsu": null}"#, #".Statsu: there is nothing to remove; did you mean "Status"?"#),
    Stranger(
      #"{"User": {"attributes": {"nn": "string", "m": "string"}}}"#,
      #".User.attributes.nn: neither inferred nor in the payload; did you mean "n"?"#,
      ".User.attributes.m: neither inferred nor in the payload"),
    Stranger(
      #"{"Status": {"relationships": {"usr": {"mapping": "User", "keyPath": "a.b"}}}}"#,
      #".Status.relationships.usr: neither inferred nor in the payload; did you mean "user"?"#),
    Stranger(
      #"{"Status": {"attributes": {"xx": null}}}"#,
      #".Status.attributes.xx: there is nothing to remove; did you mean "x"?"#),
    Stranger(
      #"{"Status": {"keyedBy": null, "rootpath": null}}"#, ".Status.keyedBy: there is nothing to remove",
      #".Status.rootpath: there is nothing to remove; did you mean "rootPath"?"#),
    Stranger(
      #"{"Status": {"relationships": {"user": {"weak": null}}}}"#,
      ".Status.relationships.user.weak: there is nothing to remove"),
    Stranger(
      #"{"Status": {"attributes": {"user": null}}}"#,
      #".Status.attributes.user: there is nothing to remove; the field is in "relationships""#),
    // Changes and new fields that say where their value is.
    Stranger(#"{"Status": {"attributes": {"x": null, "user": "json"}, "relationships": {"user": null}}}"#),
    Stranger(
      #"{"User": {"entity": "Person", "attributes": {"n": null, "name": {"type": "string", "keyPath": "n"}, "all": {"type": "json", "keyPath": null}}}}"#
    ),
    Stranger(
      #"{"User": {"attributes": {"more": "rest", "day": {"type": "date", "context": "day"}, "up": {"type": "integer", "keyPath": "@parent.id"}}, "relationships": {"statuses": {"inverseOf": "Status.user"}}}}"#
    ),
    Stranger(
      #"{"Status": {"attributes": {"user_id": "integer", "name": {"type": "string", "keyPath": "user.n"}}}}"#),
  ]

  @Test(arguments: strangers)
  func namesThatMeetNothingAreShown(_ test: Stranger) throws {
    let result = try infer(#"{"mappings": \#(test.overrides)}"#)
    #expect(
      result.notes.filter { $0.hasPrefix("overrides: ") } == test.notes.map { "overrides: $.mappings" + $0 })
  }

  @Test func aFieldOfAKindIsKnown() throws {
    var inference = Inference()
    let objects = (0..<24).map { $0 % 2 == 0 ? #"{"type":"a","x":1,"u":1}"# : #"{"type":"b","y":1,"v":2}"# }
    try inference.add(text: "[\(objects.joined(separator: ","))]")
    let overrides = #"{"mappings": {"Item": {"attributes": {"x": "number", "yy": null}}}}"#
    let tree = try Array(overrides.utf8).withUnsafeBytes { try JSONTree(parsing: $0) }
    let result = try inference.result(overrides: tree)
    #expect(result.file.fileText.contains("\"kinds\""))
    #expect(
      result.notes.filter { $0.hasPrefix("overrides: ") }
        == [#"overrides: $.mappings.Item.attributes.yy: there is nothing to remove; did you mean "y"?"#])
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
