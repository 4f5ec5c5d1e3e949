import FastMapCore
import FastMapInference
import TestSupport
import Testing

/// Time that grows as the input does.
@Suite struct LinearTests {
  private static func tree(_ text: String) throws -> JSONTree {
    try Array(text.utf8).withUnsafeBytes { try JSONTree(parsing: $0) }
  }

  /// Overrides of so many members, each form at a place of its own.
  static let forms: [@Sendable (Int) -> String] = [
    { count in
      let mappings = (0..<count).map { #""N\#($0)":{"attributes":{"x":"string"}}"# }
      return #"{"mappings":{\#(mappings.joined(separator: ","))}}"#
    },
    { count in
      let mappings = (0..<count).map { #""N\#($0)":{"entity":"E\#($0)","kinds":null}"# }
      return #"{"mappings":{\#(mappings.joined(separator: ","))}}"#
    },
    { count in
      let attributes = (0..<count).map { #""n\#($0)":"string""# }
      let links = (0..<count).map { #""r\#($0)":{"mapping":"A"}"# }
      return #"{"mappings":{"A":{"attributes":{\#(attributes.joined(separator: ","))},"#
        + #""relationships":{\#(links.joined(separator: ","))}}}}"#
    },
    { count in
      let attributes = (0..<count).map { #""n\#($0)":"string""# }
      return #"{"mappings":{"Item":{"attributes":{\#(attributes.joined(separator: ","))}}}}"#
    },
  ]

  private static let payload = #"[{"id":1,"a":{"id":2}}]"#
  private static let payloadOfKinds: String = {
    let objects = (0..<24).map { $0 % 2 == 0 ? #"{"type":"a","x":1,"u":1}"# : #"{"type":"b","y":1,"v":2}"# }
    return "[\(objects.joined(separator: ","))]"
  }()

  @Test(arguments: forms.indices)
  func overridesTakeLinearTime(_ form: Int) throws {
    let large = 3200
    let times = try growth(from: large / 8, to: large) { count, measure in
      let overrides = try Self.tree(Self.forms[form](count))
      var inference = Inference(name: form == 3 ? "Item" : "A")
      try inference.add(text: form == 3 ? Self.payloadOfKinds : Self.payload)
      try measure { _ = try inference.result(overrides: overrides).unread }
    }
    #expect(times < 20, "\(times) times as long for 8 times as many")
  }

  /// A file that is read apart costs a shape for each place; small files share the shapes of all.
  @Test func manySmallFilesTakeTheTimeOfTheirLines() throws {
    let count = 60
    let objects = (0..<count).map { number in
      let versions = (0..<100).map { #""\#($0).1":"\#(["y", "n", "a"][(number + $0) % 3])""# }
      return #"{"title":"t\#(number)","m":{\#(versions.joined(separator: ","))}}"#
    }
    let files = try growth(from: 1, to: 2) { form, measure in
      var inference = Inference(name: "R")
      try measure {
        if form == 1 {
          try inference.add(text: objects.joined(separator: "\n"), isLines: true)
        } else {
          for object in objects { try inference.add(text: object) }
        }
      }
    }
    #expect(files < 8, "\(files) times as long as in one file")
  }

  @Test func aFileOfSeveralValuesHasTheLinesOfOneThatSaysSo() throws {
    let lines = (0..<40).map { #"{"id":\#($0),"name":"n\#($0)","owner":{"id":\#($0 % 4)}}"# }
    func file(_ isLines: Bool, _ pieceSize: Int) throws -> String {
      var inference = Inference(name: "R")
      try inference.add(text: lines.joined(separator: "\n"), isLines: isLines, pieceSize: pieceSize)
      try inference.add(text: lines[0], isLines: isLines, pieceSize: pieceSize)
      return try inference.result().file.fileText
    }
    let expected = try file(true, 1 << 18)
    for pieceSize in [64, 1024, 1 << 18] { try #expect(file(false, pieceSize) == expected) }
  }
}
