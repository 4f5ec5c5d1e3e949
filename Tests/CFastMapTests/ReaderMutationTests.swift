import CFastMap
import CFastMapJansson
import FastMapStoreTesting
import FastMapSystem
import TestSupport
import Testing

/// Reads a text here and with json_loadb, and expects the same verdict and the same tree, but for intended differences.
/// json_loadb takes a NUL behind a number or a literal for nothing. It refuses \u0000 in a name and integers beyond
/// int64. It has its own limit of depth.
///
/// - Returns: Whether the text was accepted.
@discardableResult
func expectAgreement(on text: [UInt8]) -> Bool {
  withTree(of: text) { ours, _ in
    if text.contains(0) {
      #expect(ours == nil)
      return false
    }
    var failure = json_error_t()
    let flags = JSON_DECODE_ANY | JSON_ALLOW_NUL
    let theirs = json_loadb(text, text.count, Int(flags), &failure)
    defer { json_decref(theirs) }
    if let theirs {
      #expect(ours.map { isSame($0, theirs) } == true, "\(String(decoding: text, as: UTF8.self))")
    } else if ours != nil {
      let code = withUnsafeBytes(of: failure.text) { json_error_code(rawValue: UInt32($0.last!)) }
      let isMeant = [json_error_null_byte_in_key, json_error_numeric_overflow, json_error_stack_overflow]
        .contains(code)
      #expect(isMeant, "\(String(decoding: text, as: UTF8.self))")
    }
    return ours != nil
  }
}

/// json_equal, and the order of members, and the bits of reals.
private func isSame(_ left: Node, _ right: Node) -> Bool {
  let flags = JSON_COMPACT | JSON_ENCODE_ANY
  guard json_equal(left, right) == 1, let ours = json_dumps(left, Int(flags)) else { return false }
  defer { free(ours) }
  guard let theirs = json_dumps(right, Int(flags)) else { return false }
  defer { free(theirs) }
  return strcmp(ours, theirs) == 0
}

@Suite struct ReaderMutationTests {
  @Test func randomTextsAreReadAsJanssonReadsThem() {
    var random = Random(for: "random texts")
    for _ in 0..<TestSize.rounds(small: 1500, whole: 5000) {
      var text: [UInt8] = []
      appendValue(to: &text, depth: 0, &random)
      #expect(expectAgreement(on: text), "\(String(decoding: text, as: UTF8.self))")
    }
  }

  @Test func mutatedTextsAreReadAsJanssonReadsThem() {
    var random = Random(for: "mutated texts")
    var acceptedCount = 0
    let count = TestSize.rounds(small: 2000, whole: 10_000)
    for _ in 0..<count {
      var text: [UInt8] = []
      appendValue(to: &text, depth: 0, &random)
      for _ in 0..<Int.random(in: 1...3, using: &random) { mutate(&text, &random) }
      acceptedCount += expectAgreement(on: text) ? 1 : 0
    }
    #expect(acceptedCount > count / 20, "too few are right to mean anything")
  }
}

private let scalars = [
  "null", "true", "false", "0", "-0", "-1", "42", "9223372036854775807", "-9223372036854775808", "1e5",
  "-0.5", "3.25e-7",
  "0.1", "1.7976931348623157e308", "5e-324", "\"\"", #""plain""#, #""\n\t\"\\\/""#,
  #""\u00e9\ud83d\ude00\u0000""#, "\"é€😀\"",
  #""a string that is longer than thirty-two bytes, and than sixty-four as well""#,
]

private let names = [
  #""a""#, #""b""#, #""name""#, #""""#, #""\u0061""#, #""é""#,
  #""a name longer than thirty-two bytes: here""#,
]

private func appendValue(to text: inout [UInt8], depth: Int, _ random: inout Random) {
  func append(_ part: String) { text += Array(part.utf8) }
  func space() -> String {
    Int.random(in: 0..<8, using: &random) == 0
      ? ["  ", "\n", "\t", "\r\n      "].randomElement(using: &random)! : ""
  }
  let count = Int.random(in: 0..<5, using: &random)
  append(space())
  switch depth < 5 ? Int.random(in: 0..<4, using: &random) : 0 {
  case 1:
    append("[")
    for index in 0..<count {
      appendValue(to: &text, depth: depth + 1, &random)
      append(space() + (index + 1 < count ? "," : ""))
    }
    append("]")
  case 2:
    append("{")
    for index in 0..<count {
      append(space() + names.randomElement(using: &random)! + space() + ":")
      appendValue(to: &text, depth: depth + 1, &random)
      append(space() + (index + 1 < count ? "," : ""))
    }
    append(space() + "}")
  default: append(scalars.randomElement(using: &random)!)
  }
}

private func mutate(_ text: inout [UInt8], _ random: inout Random) {
  let place = Int.random(in: 0..<text.count, using: &random)
  let special =
    Array(#"{}[]",:\/0123456789.eE+-tfnu "#.utf8) + [
      0x00, 0x0a, 0x1f, 0x7f, 0x80, 0xc3, 0xe2, 0xed, 0xf0, 0xff,
    ]
  switch Int.random(in: 0..<5, using: &random) {
  case 0: text[place] = special.randomElement(using: &random)!
  case 1: text.insert(special.randomElement(using: &random)!, at: place)
  case 2: if text.count > 1 { text.remove(at: place) }
  case 3: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
  default: text += text[place...]
  }
}
