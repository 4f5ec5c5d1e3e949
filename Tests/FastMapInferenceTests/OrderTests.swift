import FastMapCore
import FastMapInference
import TestSupport
import Testing

/// The output depends on no order, and on no way in which the text arrives.
@Suite struct OrderTests {
  /// Lines of several kinds of objects, with optional members, unions, maps and many keys.
  private static func lines(_ count: Int, seed: UInt64) -> [String] {
    var random = Random(seed: seed)
    return (0..<count).map { number in
      var members = [#""id":\#(number)"#]
      let kind = random.next() % 3
      members.append(
        #""type":"k\#(kind)","a\#(kind)":1,"b\#(kind)":2,"c\#(kind)":3,"d\#(kind)":4,"own\#(kind)":{"deep\#(kind)":"d\#(random.next() % 90)"}"#
      )
      if random.next() % 3 == 0 { members.append(#""note":"n\#(random.next() % 50)""#) }
      if random.next() % 40 == 0 { members.append(#""odd":\#(random.next() % 2 == 0 ? "1" : "\"x\"")"#) }
      members.append(#""author":{"id":\#(random.next() % 20),"name":"a"}"#)
      members.append(#""author_id":\#(random.next() % 20)"#)
      members.append(#""price":\#(random.next() % 9)\#(["", ".5", ".50", ".0"][Int(random.next() % 4)])"#)
      let map = (0..<(random.next() % 5)).map { _ in
        #""k\#(random.next() % 900)":{"v":\#(random.next() % 9),"w":true}"#
      }
      members.append(#""map":{\#(map.joined(separator: ","))}"#)
      members.append(#""list":[{"name":"t\#(random.next() % 8)"},{"name":"u"}]"#)
      return "{" + members.joined(separator: ",") + "}"
    }
  }

  private func infer(_ files: [[String]], pieceSize: Int = 1 << 18) throws -> String {
    var inference = Inference(name: "Thing")
    for lines in files {
      try inference.add(text: lines.joined(separator: "\n"), isLines: true, pieceSize: pieceSize)
    }
    let result = try inference.result()
    return result.file.fileText + result.notes.joined(separator: "\n")
  }

  @Test func tenOrdersOfObjectsAndFilesGiveTheSameOutput() throws {
    let lines = Self.lines(1200, seed: 1)
    let expected = try infer([lines])
    #expect(expected.contains("\"kinds\""))
    var random = Random(seed: 2)
    for _ in 0..<10 {
      let shuffled = lines.shuffled(using: &random)
      let cut = Int(random.next() % 1200)
      try #expect(infer([Array(shuffled[cut...]), Array(shuffled[..<cut])]) == expected)
    }
  }

  @Test func piecesOfATextGiveTheSameOutput() throws {
    let lines = Self.lines(60, seed: 3)
    let expected = try infer([lines])
    for size in [16, 17, 31, 64] { try #expect(infer([lines], pieceSize: size) == expected) }
  }
}
