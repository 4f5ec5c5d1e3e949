import FastMapCore
import FastMapInference
import TestSupport
import Testing

/// Payloads that are made to cost much.
@Suite struct HostileTests {
  private func infer(_ text: String, isLines: Bool = false) throws -> Inference.Result {
    var inference = Inference()
    try inference.add(text: text, isLines: isLines)
    return try inference.result()
  }

  @Test func manyNamesAreOneCollection() throws {
    let members = (0..<20_000).map { #""name\#($0)":{"a":1}"# }
    let result = try infer("{" + members.joined(separator: ",") + "}")
    #expect(result.file.fileText.contains(#""keyedBy": "key""#))
    #expect(result.file.fileText.utf8.count < 1000)
  }

  @Test func manyNamesOfMixedValuesAreJSON() throws {
    let members = (0..<5000).map { #""name\#($0)":\#($0 % 2 == 0 ? "1" : "[{}]")"# }
    let result = try infer(#"[{"id":1,"m":{\#(members.joined(separator: ","))}}]"#)
    #expect(result.file.fileText.contains(#""m": "json""#))
  }

  @Test(arguments: [47, 48, 100, 500])
  func deepNestingIsJSON(_ depth: Int) throws {
    let text = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    let result = try infer(#"[{"id":1,"b":\#(text)}]"#)
    #expect(result.unread == [])
  }

  @Test func nestingBeyondTheLimitOfReadersIsAFault() {
    #expect(throws: JSONSyntaxError.self) { try infer(String(repeating: "[", count: 513)) }
  }

  @Test func hugeNamesAndStringsAreRead() throws {
    let huge = String(repeating: "x", count: 300_000)
    let result = try infer(#"[{"id":1,"\#(huge)":"\#(huge)"}]"#)
    #expect(result.unread == [])
  }

  @Test func oddNamesMakeAMappingFileThatIsAccepted() throws {
    let result = try infer(
      #"[{"":1,"@parent.x":2,"a[0]":3,"b\\":4,"\u0000":5,"é":6,"kind":"x","c]":{"d":{"":{"e":[{"f":1}]}}}}]"#)
    let text = Array(result.file.fileText.utf8)
    let set = try text.withUnsafeBytes { try MappingSet(file: $0) }
    for root in result.roots { _ = try set.plan(for: root) }
    #expect(result.unread == [])
  }
}
