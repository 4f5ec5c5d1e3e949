import FastMapCore
import FastMapInference
import TestSupport
import Testing

/// Places with more values than inference keeps: the decision stays the same, and a line says that it rests on a part.
@Suite struct SampleTests {
  /// A list with the keys of all objects.
  private func infer(_ count: Int, _ key: String) throws -> Inference.Result {
    let objects = (0..<count).map { #"{"\#(key)":"k\#($0)x","size":\#($0 % 7)}"# }
    let keys = (0..<count).map { #""k\#($0)x""# }.joined(separator: ",")
    var inference = Inference()
    try inference.add(
      text: #"{"parts":[\#(objects.joined(separator: ","))],"sets":[{"id":1,"partIds":[\#(keys)]}]}"#)
    return try inference.result()
  }

  /// Each member may be a key, alone or with `id`.
  @Test func aWideListIsInferredInLinearTime() throws {
    let times = try growth(from: 40, to: 160) { count, measure in
      let objects = (0..<40).map { row in
        let members = (0..<count).map {
          #""m\#($0)_id":\#((row + $0) % 16),"name\#($0)":"w\#((row + $0) % 8)x""#
        }
        return #"{"id":\#(row % 16),"size":\#(row).5,\#(members.joined(separator: ","))}"#
      }
      var inference = Inference()
      try measure {
        try inference.add(text: "[\(objects.joined(separator: ","))]")
        let notes = try inference.result().notes
        #expect(notes.contains { $0.hasPrefix("Item: no key") }, "\(notes)")
      }
    }
    // The square would be 16. Beside other processes, which share the cache, it is up to 11.
    #expect(times < 13)
  }

  @Test(arguments: [100, 3000, 4000, 20_000], ["code", "label"])
  func aListOfKeysOfAnyLengthIsARelationship(_ count: Int, _ key: String) throws {
    let result = try infer(count, key)
    let text = result.file.fileText
    #expect(
      text.contains(#""parts": {"mapping": "PartRef", "toMany": true, "keyPath": "partIds""#), "\(text)")
    let notes = result.notes.filter { $0.hasPrefix("Set.partIds: refers to Part; ") }
    #expect(notes.count == 1)
    #expect(notes.first?.contains("chosen by hash from about ") == (count > 16_384), "\(notes)")
  }
}
