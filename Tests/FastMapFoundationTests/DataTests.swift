import FastMapCore
import FastMapFoundation
import Foundation
import TestSupport
import Testing

/// Data.
@Suite struct DataTests {
  // Q-03
  @Test(arguments: [
    (#""value":10"#, "$.value: expected base64 data, found the number 10"),
    (#""maybe":"A""#, #"$.maybe: expected base64 data, found the string "A""#),
  ])
  func invalidBase64IsAnError(_ json: String, _ expected: String) throws {
    #expect(try Shelf(.memory, Data()).failure(of: json) == expected)
  }

  // BUG-24
  @Test func dataThatAProgramSetsIsWrittenASliceToo() throws {
    let shelf = try Shelf(.memory, Data())
    let box = try shelf.load(#""maybe":null"#)
    box.value = Data([9, 0, 255, 9])[1..<3]
    #expect(try shelf.text(of: box) == #""value":"AP8=""#)
  }

  // FEM-42 FEM-63
  @Test(arguments: StoreKind.allCases)
  func aTransformTakesTheTextItselfForTheBytes(_ kind: StoreKind) throws {
    final class Letter {
      var id = 0
      var body = Data()
    }
    let utf8 = Transform<Data>(
      reading: { value in
        guard let text = value.string else { throw TransformError("expected a string") }
        return .value(Data(text.utf8))
      },
      writing: { .string(String(decoding: $0, as: UTF8.self)) })
    let mapping = Mapping(Letter.self, "Letter", primaryKey: "id", make: { Letter() }) {
      Attribute("id", \.id)
      Attribute("body", \.body, transform: utf8)
    }
    let store = try kind.make()
    let letters = try Mapper(store).roundTrip(Array(#"{"id":1,"body":"utf8"}"#.utf8), as: mapping)
    #expect(letters.map(\.body) == [Data([0x75, 0x74, 0x66, 0x38])])
    let error = #expect(throws: MappingError.self) {
      try Mapper(store).roundTrip(Array(#"{"id":1,"body":5}"#.utf8), as: mapping)
    }
    #expect(error.map { "\($0.path): \($0.message)" } == "$.body: expected a string")
  }
}
