import CFastMapJansson
import FastMapCore
import Testing

@testable import FastMapReading

@Suite struct JSONWriterTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let write: @Sendable (inout JSONWriter) -> Void
    let expected: String

    init(_ name: String, _ expected: String, _ write: @escaping @Sendable (inout JSONWriter) -> Void) {
      testDescription = name
      self.write = write
      self.expected = expected
    }
  }

  private func text(isPretty: Bool = false, _ write: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(isPretty: isPretty)
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  @Test(arguments: [
    Case("nothing", "") { _ in },
    Case("an empty object", "{}") {
      $0.beginObject(); $0.endObject()
    },
    Case("an empty array", "[]") {
      $0.beginArray(); $0.endArray()
    },
    Case("members", #"{"a":1,"b":null}"#) {
      $0.beginObject(); $0.name("a"); $0.integer(1); $0.name("b"); $0.null(); $0.endObject()
    },
    Case("elements", #"[true,false,"x"]"#) {
      $0.beginArray(); $0.boolean(true); $0.boolean(false); $0.string("x"); $0.endArray()
    },
    Case("arrays in arrays", "[[],[[1],2],3]") {
      $0.beginArray(); $0.beginArray(); $0.endArray(); $0.beginArray(); $0.beginArray(); $0.integer(1)
      $0.endArray(); $0.integer(2); $0.endArray(); $0.integer(3); $0.endArray()
    },
    Case("objects in objects", #"{"":{"a":{}},"b":{}}"#) {
      $0.beginObject(); $0.name(""); $0.beginObject(); $0.name("a"); $0.beginObject(); $0.endObject()
      $0.endObject(); $0.name("b"); $0.beginObject(); $0.endObject(); $0.endObject()
    },
    Case("JSON text among values", #"[1,{"k":[]},2]"#) { output in
      output.beginArray(); output.integer(1)
      Array(#"{"k":[]}"#.utf8).withUnsafeBufferPointer { output.raw($0) }
      output.integer(2); output.endArray()
    },
    Case("values one a line", "{}\n[]\n7\n") {
      $0.beginObject(); $0.endObject(); $0.endLine(); $0.beginArray(); $0.endArray(); $0.endLine()
      $0.integer(7); $0.endLine()
    },
  ])
  func commasAndColonsComeByThemselves(_ test: Case) { #expect(text(test.write) == test.expected) }

  @Test func prettyTextHasALineForEachMemberAndElement() {
    let pretty = text(isPretty: true) {
      $0.beginObject()
      $0.name("a")
      $0.beginArray()
      $0.integer(1)
      $0.beginObject()
      $0.endObject()
      $0.beginArray()
      $0.endArray()
      $0.endArray()
      $0.name("b")
      $0.null()
      $0.endObject()
    }
    #expect(
      pretty == """
        {
          "a": [
            1,
            {},
            []
          ],
          "b": null
        }
        """)
  }

  @Test(arguments: [
    ("", #""""#),
    ("plain", #""plain""#),
    ("say \"hi\"", #""say \"hi\"""#),
    ("back\\slash/slash", #""back\\slash/slash""#),
    ("\u{8}\u{c}\n\r\t", #""\b\f\n\r\t""#),
    ("\0\u{1}\u{b}\u{1f}\u{20}\u{7f}", "\"\\u0000\\u0001\\u000b\\u001f \u{7f}\""),
    ("żółć 漢字 🧭 \u{2028}", "\"żółć 漢字 🧭 \u{2028}\""),
    ("sixteen letters.", #""sixteen letters.""#),
    ("seven\u{80}\"\u{ff}\\", "\"seven\u{80}\\\"\u{ff}\\\\\""),
    ("\"\"\"\"\"\"\"\"\"", #""\"\"\"\"\"\"\"\"\"""#),
  ])
  func stringsEscapeOnlyWhereNeeded(_ value: String, _ expected: String) {
    #expect(text { $0.string(value) } == expected)
    #expect(
      text {
        $0.beginObject(); $0.name(value); $0.null(); $0.endObject()
      } == "{\(expected):null}")
  }

  /// The scan looks at eight bytes at a time; every byte must be met at every place of the eight.
  @Test func everyByteIsEscapedWhereverItStands() throws {
    for scalar in (UInt32(0)..<0x100).compactMap(Unicode.Scalar.init) {
      for place in 0..<18 {
        let value =
          String(repeating: "a", count: place) + String(scalar) + String(repeating: "b", count: 18 - place)
        let json = Array(
          text {
            $0.beginArray(); $0.string(value); $0.endArray()
          }.utf8)
        let isSame = try json.withUnsafeBytes { bytes in
          try JSONDocument(parsing: bytes).withRoot { root in
            root.elements?.first?.string?.utf8.elementsEqual(value.utf8)
          }
        }
        #expect(isSame == true, "scalar \(scalar.value) at \(place)")
      }
    }
  }

  @Test(arguments: [
    (0, "0"), (7, "7"), (-1, "-1"), (10, "10"), (1_234_567_890, "1234567890"),
    (Int64.max, "9223372036854775807"), (Int64.min, "-9223372036854775808"),
  ])
  func integersAreWrittenInFull(_ value: Int64, _ expected: String) {
    #expect(text { $0.integer(value) } == expected)
  }

  @Test func unsignedIntegersReachTheirLimit() {
    #expect(text { $0.unsigned(.max) } == "18446744073709551615")
  }

  @Test(arguments: [
    (0.0, "0.0"), (-0.0, "-0.0"), (5.0, "5.0"), (-1.5, "-1.5"), (0.1, "0.1"),
    (0.1 + 0.2, "0.30000000000000004"),
    (1e15, "1000000000000000.0"), (1e16, "1e+16"), (1.0e-7, "1e-07"),
    (Double.leastNonzeroMagnitude, "5e-324"),
    (Double.greatestFiniteMagnitude, "1.7976931348623157e+308"),
    (Double.infinity, "null"), (-Double.infinity, "null"), (Double.nan, "null"),
  ])
  func numbersReadBackTheSame(_ value: Double, _ expected: String) {
    #expect(text { $0.number(value) } == expected)
  }

  /// FEM-186
  @Test(arguments: [
    "null", "true", "false", "0", "-0.0", "1.0", "1", "1e+300", #""""#, #""a\u0000b\"""#, "[]", "{}",
    "[[[]]]",
    #"{"b":[1,2.5,{"":null}],"a":"é🧭","c":{"d":{}}}"#, "[9223372036854775807,-9223372036854775808]",
  ])
  func treesAreWrittenAsTheyAre(_ json: String) throws {
    var json = json
    let copy = try json.withUTF8 { bytes in
      try JSONDocument(parsing: UnsafeRawBufferPointer(bytes)).withRoot { root in text { $0.append(root) } }
    }
    #expect(copy == json)
  }

  @Test func deepTreesNeedNoStack() {
    let depth = 100_000
    // Held one by one, so that jansson takes the tree apart from the outside and does not recurse.
    var levels = [json_array()!]
    for _ in 1..<depth {
      let inner = json_array()!
      json_array_append(levels[levels.count - 1], inner)
      levels.append(inner)
    }
    let root = JSONNode(UnsafePointer(levels[0]))
    #expect(
      text { $0.append(root) } == String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    for level in levels { json_decref(level) }
  }

  @Test func textCanBeHandedOutBeforeItsEnd() {
    struct Full: Error {}
    var writer = JSONWriter(isPretty: true)
    var pieces: [String] = []
    writer.beginArray()
    writer.integer(1)
    writer.flush { pieces.append(String(decoding: $0, as: UTF8.self)) }
    #expect(writer.bytes.isEmpty)
    writer.integer(2)
    #expect(throws: Full.self) { try writer.flush { _ in throw Full() } }
    writer.endArray()
    writer.flush { pieces.append(String(decoding: $0, as: UTF8.self)) }
    #expect(pieces == ["[\n  1", ",\n  2\n]"])
  }

  @Test func rewindingRemovesTheBytesAfterAMark() {
    var writer = JSONWriter()
    writer.beginArray()
    writer.integer(1)
    let mark = writer.mark
    writer.beginObject()
    writer.name("half")
    writer.rewind(to: mark)
    writer.integer(2)
    writer.endArray()
    #expect(writer.bytes == Array("[1,2]".utf8))
  }
}
