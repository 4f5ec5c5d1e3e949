import CFastMap
import CFastMapJansson
import FastMapStoreTesting
import FastMapSystem
import Testing

/// The result of reading one text: the tree as compact JSON, or the error and its place.
enum Reading: Equatable, CustomStringConvertible {
  case tree(String)
  case fault(fastmap_read_error, at: Int)

  var description: String {
    switch self {
    case .tree(let text): text
    case .fault(let error, let offset): "\(String(cString: fastmap_read_error_message(error))) at \(offset)"
    }
  }
}

typealias Node = UnsafeMutablePointer<json_t>

/// Reads a text, and skips it, and makes sure that both end alike.
func read(_ text: some Collection<UInt8>, options: fastmap_read_options = .init()) -> Reading {
  withTree(of: text, options: options) { node, result in
    guard let node else { return .fault(result.error, at: result.error_offset) }
    let flags = JSON_COMPACT | JSON_ENCODE_ANY | JSON_ENSURE_ASCII
    guard let dump = json_dumps(node, Int(flags)) else { return .tree("what json_dumps refuses") }
    defer { free(dump) }
    return .tree(String(cString: dump))
  }
}

/// Lends the tree of a text, nil where it is wrong, for the length of `body`.
func withTree<R>(
  of text: some Collection<UInt8>, options: fastmap_read_options = .init(), skipsAlike: Bool = true,
  _ body: (Node?, fastmap_read_result) -> R
) -> R {
  Array(text).withUnsafeBytes { bytes in
    var options = options
    var result = fastmap_read_result(), skipped = fastmap_read_result()
    let isRead = fastmap_read(nil, bytes.baseAddress, bytes.count, &options, &result)
    if skipsAlike, !options.rejects_duplicates {
      #expect(fastmap_skip(bytes.baseAddress, bytes.count, &options, &skipped) == isRead)
      #expect(skipped.error == result.error && skipped.error_offset == result.error_offset)
      #expect(skipped.consumed == result.consumed)
    }
    defer {
      fastmap_tree_release(result.tree)
      fastmap_big_integers_free(result.big_integers)
    }
    return body(result.tree?.assumingMemoryBound(to: json_t.self), result)
  }
}

@Suite struct ReaderTests {
  @Test(arguments: unchangedTexts) func rightTextsAreRead(_ text: String) {
    #expect(read(text.utf8) == .tree(text))
  }

  @Test(arguments: rewrittenTexts) func rightTextsAreReadByTheirMeaning(_ text: String, meaning: String) {
    #expect(read(text.utf8) == .tree(meaning))
  }

  @Test(arguments: wrongTexts)
  func wrongTextsAreRefusedInTheirPlace(_ error: fastmap_read_error, texts: [String]) {
    for marked in texts {
      let parts = marked.split(separator: "¿", maxSplits: 1, omittingEmptySubsequences: false)
      let fault = Reading.fault(error, at: parts[0].utf8.count)
      #expect(read((parts[0] + parts[1]).utf8) == fault, "\(marked)")
    }
  }

  struct WrongBytes: Sendable {
    let offset: Int
    let bytes: [UInt8]
    var error = FASTMAP_READ_UTF8

    init(_ offset: Int, _ bytes: [UInt8], _ error: fastmap_read_error = FASTMAP_READ_UTF8) {
      self.offset = offset
      self.bytes = bytes
      self.error = error
    }
  }

  @Test(arguments: wrongUTF8) func wrongUTF8IsRefused(_ text: WrongBytes) {
    let json = Array("[\"".utf8) + text.bytes
    #expect(read(json + Array("\"]".utf8)) == .fault(text.error, at: 2 + text.offset))
    // Far from the end of the text, other code does it.
    let long = json + Array("\", \"and a long string behind it, to be sure\"]".utf8)
    #expect(read(long) == .fault(text.error, at: 2 + text.offset))
  }

  @Test func everySequenceOfUTF8IsReadAsSwiftReadsIt() {
    // If small, the bytes at both sides of each bound.
    let bounds = [0x20, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff]
    for first in UInt8(0x80)...0xff {
      for second in 0...0xff where TestSize.count(small: 0, whole: 1) == 1 || bounds.contains(second) {
        for tail in [[], [0x80], [0xbf, 0x80], [0x7f, 0x80], [0x80, 0xc0], [0x80, 0xbf]] as [[UInt8]] {
          let bytes = [first, UInt8(second)] + tail
          // Special characters of JSON have cases of their own.
          if second < 0x20 || second == 0x22 || second == 0x5c { continue }
          let isRight = String(validating: bytes, as: UTF8.self) != nil
          let near = withTree(of: [0x22] + bytes + [0x22]) { node, _ in node != nil }
          let far = withTree(of: [0x22] + bytes + Array(repeating: 0x61, count: 40) + [0x22]) { node, _ in
            node != nil
          }
          if near != isRight || far != isRight { Issue.record("\(bytes)") }
        }
      }
    }
  }

  @Test func aStringIsReadWhereverItsSpecialByteStands() {
    for length in 0..<140 {
      for (special, decoded) in [("\\n", "\n"), ("é", "é"), ("\\u20ac", "€"), ("𝄞", "𝄞"), ("", "")] {
        let before = String(repeating: "a", count: length),
          behind = String(repeating: "b", count: 139 - length)
        let expected = Array((before + decoded + behind).utf8)
        let isRead = withTree(of: "\"\(before)\(special)\(behind)\"".utf8) { node, _ in
          UnsafeRawBufferPointer(start: json_string_value(node), count: json_string_length(node))
            .elementsEqual(expected)
        }
        #expect(isRead, "\(special) at \(length)")
        #expect(
          read("\"\(before)\u{1}\(behind)\"".utf8) == .fault(FASTMAP_READ_CONTROL_CHARACTER, at: 1 + length))
      }
    }
  }

  @Test func whitespaceOfAnyLengthIsReadOver() {
    for length in 0..<100 {
      let space = String(repeating: " \n\t\r", count: 25).prefix(length)
      #expect(read("\(space)[\(space)1\(space),\(space)2\(space)]\(space)".utf8) == .tree("[1,2]"))
      #expect(read("[\(space)\u{c}]".utf8) == .fault(FASTMAP_READ_VALUE_EXPECTED, at: 1 + length))
    }
  }

  @Test func aNULIsAValueAndAName() {  // Q-28
    withTree(of: #"{"a\u0000b": "\u0000"}"#.utf8) { node, _ in
      let value = json_object_getn(node, "a\0b", 3)
      #expect(json_string_length(value) == 1)
    }
    let rejecting = fastmap_read_options(rejects_nul: true)
    #expect(read(#"["\u0000"]"#.utf8, options: rejecting) == .fault(FASTMAP_READ_NUL, at: 2))
    #expect(read(#"{"\u0000":1}"#.utf8, options: rejecting) == .fault(FASTMAP_READ_NUL, at: 2))
  }

  @Test func theLastOfDuplicateNamesCountsUnlessTheyAreRejected() {
    #expect(read(#"{"a":1,"b":2,"\u0061":{"c":3}}"#.utf8) == .tree(#"{"a":{"c":3},"b":2}"#))
    let rejecting = fastmap_read_options(rejects_duplicates: true)
    #expect(
      read(#"{"a":{"a":1},"b":{"a":1}}"#.utf8, options: rejecting) == .tree(#"{"a":{"a":1},"b":{"a":1}}"#))
    #expect(
      read(#"{"a":1,"b":2,"\u0061":3}"#.utf8, options: rejecting)
        == .fault(FASTMAP_READ_DUPLICATE_NAME, at: 13))
    #expect(read(#"[{"":[], "":[]}]"#.utf8, options: rejecting) == .fault(FASTMAP_READ_DUPLICATE_NAME, at: 9))
  }

  @Test func everyErrorHasASentence() {
    let messages = (0...FASTMAP_READ_NUMBER_OVERFLOW.rawValue).map {
      String(cString: fastmap_read_error_message(fastmap_read_error(rawValue: $0)))
    }
    #expect(Set(messages).count == messages.count)
    #expect(!messages.contains("unknown error"))
  }
}

extension fastmap_read_options {
  init(
    start: Int = 0, max_length: Int = 0, max_depth: UInt32 = 0, one_value: Bool = false,
    rejects_duplicates: Bool = false, rejects_nul: Bool = false
  ) {
    self.init()
    self.start = start
    self.max_length = max_length
    self.max_depth = max_depth
    self.one_value = one_value
    self.rejects_duplicates = rejects_duplicates
    self.rejects_nul = rejects_nul
  }
}
