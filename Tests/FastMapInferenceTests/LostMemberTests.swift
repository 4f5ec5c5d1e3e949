import FastMapCore
import FastMapInference
import FastMapMemory
import TestSupport
import Testing

/// Kinds by which an object would lose a member are not inferred: one that does not say its kind, and has a member of one kind.
@Suite struct LostMemberTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    /// The members of both kinds, and those of the object that says none.
    let kinds: (String, String)
    let lost: String
  }

  static let cases = [
    Case(
      testDescription: "a member", kinds: (#""one":1,"two":2"#, #""three":3"#), lost: #""three":"lost""#),
    Case(
      testDescription: "a member of an object", kinds: (#""part":{"a":"1","b":2}"#, #""part":{"c":"3"}"#),
      lost: #""part":{"c":"lost"}"#),
    Case(
      testDescription: "a member of an object, beside one of all kinds",
      kinds: (#""part":{"a":"1","n":1}"#, #""part":{"c":"3","n":2}"#), lost: #""part":{"a":"lost","n":3}"#),
    Case(
      testDescription: "an object", kinds: (#""one":{"a":"1"}"#, #""two":{"c":"3"}"#),
      lost: #""one":{"a":"lost"}"#),
    Case(testDescription: "a list", kinds: (#""one":["1"]"#, #""two":["3"]"#), lost: #""one":["lost"]"#),
  ]

  /// Objects of two kinds, each with a member of its own that no other object has: but for the one object, they have kinds.
  private static func payload(_ test: Case, lost: String?) -> String {
    let objects = (0..<40).map { number in
      if number == 7, let lost { return #"{"id":7,\#(lost)}"# }
      return number % 2 == 0
        ? #"{"id":\#(number),"type":"alpha","onlyAlpha":1,\#(test.kinds.0)}"#
        : #"{"id":\#(number),"type":"beta","onlyBeta":2,\#(test.kinds.1)}"#
    }
    return "[\(objects.joined(separator: ","))]"
  }

  private static func infer(_ payload: String) throws -> Inference.Result {
    var inference = Inference()
    try inference.add(text: payload)
    return try inference.result()
  }

  @Test(arguments: cases, ["", #""type":null,"#])
  func anObjectWithoutItsKindLosesNoMember(_ test: Case, _ type: String) throws {
    let payload = Self.payload(test, lost: type + test.lost)
    let result = try Self.infer(payload)
    let text = result.file.fileText
    #expect(!text.contains("\"kinds\""), "\(text)")
    #expect(result.unread == [])
    let set = try Array(text.utf8).withUnsafeBytes { try MappingSet(file: $0) }
    let plan = try set.plan(for: try #require(result.roots.first))
    let store = MemoryStore()
    _ = try Mapper(store).importJSON(payload, as: plan)
    #expect(try store.exported(plan).contains("lost"))
  }

  /// The same objects have kinds if each says its own, or has no member that one kind lacks.
  @Test(arguments: cases, [nil, #""type":null"#])
  func objectsThatLoseNothingHaveKinds(_ test: Case, _ other: String?) throws {
    #expect(try Self.infer(Self.payload(test, lost: other)).file.fileText.contains("\"kinds\""))
  }
}
