import CFastMap
import CFastMapJansson
import FastMapStoreTesting
import TestSupport
import Testing

/// `takes_values`: values are judged where they are built.
@Suite struct ReaderValueTests {
  private static let halves = [
    #""\ud800""#, #""\udc00x""#, #""\ud800\u0041""#, #""\ud800\ud800\udc00""#, #""\ud800\n""#,
    #"["a\ud800",1]"#, #"{"\udc00":1}"#,
  ]
  private static var values: fastmap_read_options { takingValues(true) }

  private static func takingValues(_ takes: Bool) -> fastmap_read_options {
    var options = fastmap_read_options()
    options.takes_values = takes
    return options
  }

  @Test(arguments: halves) func halvesOfPairsAreReadOverAndNotBuilt(_ text: String) {
    let bytes = Array(text.utf8)
    let place = text.distance(from: text.startIndex, to: text.firstIndex(of: "\\") ?? text.startIndex)
    var (options, result) = (Self.values, fastmap_read_result())
    #expect(fastmap_skip(bytes, bytes.count, &options, &result) && result.consumed == bytes.count)
    #expect(!fastmap_read(nil, bytes, bytes.count, &options, &result))
    #expect(result.error == FASTMAP_READ_LONE_SURROGATE && result.error_offset == place)
    #expect(!fastmap_skip(bytes, bytes.count, nil, &result))
    #expect(result.error == FASTMAP_READ_LONE_SURROGATE && result.error_offset == place)
  }

  @Test(arguments: halves) func theSkipperReadsThemOverInAnyPieces(_ text: String) {
    let bytes = Array(text.utf8)
    let skipper = fastmap_skipper_new()
    defer { fastmap_skipper_free(skipper) }
    for takes in [true, false] {
      var options = Self.takingValues(takes)
      fastmap_skipper_begin(skipper, &options)
      var (start, outcome, result) = (0, FASTMAP_SKIPPER_MORE, fastmap_read_result())
      for end in 1...bytes.count where outcome == FASTMAP_SKIPPER_MORE {
        outcome = fastmap_skipper_feed(skipper, bytes, end, start, end == bytes.count, &result)
        start = result.consumed
      }
      #expect(outcome == (takes ? FASTMAP_SKIPPER_DONE : FASTMAP_SKIPPER_WRONG))
    }
  }

  @Test func aPairIsBuiltBesideAHalfThatIsNot() {
    withShape(of: "a") { shape in
      let text = #"{"x":"\ud800","\ud800":["\udc00"],"a":"\ud83d\ude00","\udc00a":1}"#
      var options = Self.values
      options.shape = shape
      withTree(of: text.utf8, options: options, skipsAlike: false) { node, _ in
        #expect(json_object_size(node) == 1)
        #expect(String(cString: json_string_value(json_object_get(node, "a"))) == "😀")
      }
      let wrong = #"{"x":"\ud800","a":"\ud83d"}"#
      withTree(of: wrong.utf8, options: options, skipsAlike: false) { node, result in
        #expect(node == nil && result.error == FASTMAP_READ_LONE_SURROGATE && result.error_offset == 19)
      }
    }
  }

  @Test func aRealBeyondDoubleKeepsItsText() {
    withTree(of: "[1E400,1.50,-0]".utf8, options: Self.values) { node, result in
      #expect(json_real_value(json_array_get(node, 0)) == .greatestFiniteMagnitude)
      let texts = (0..<3).map { text(of: json_array_get(node, $0), result) }
      #expect(texts == ["1E400", nil, nil])
    }
  }

  @Test func theZeroWithASignKeepsItsTextWhereTextsAreKept() {
    var options = fastmap_read_options()
    options.keeps_reals = true
    withTree(of: "[-0,0]".utf8, options: options) { node, result in
      #expect(isInteger(json_array_get(node, 0)) && json_integer_value(json_array_get(node, 0)) == 0)
      #expect((0..<2).map { text(of: json_array_get(node, $0), result) } == ["-0", nil])
    }
  }

  private func isInteger(_ node: UnsafePointer<json_t>?) -> Bool { node?.pointee.type == JSON_INTEGER }

  private func text(of node: UnsafePointer<json_t>?, _ result: fastmap_read_result) -> String? {
    var length = 0
    guard let text = fastmap_number_text(result.big_integers, node, &length) else { return nil }
    return String(decoding: UnsafeRawBufferPointer(start: text, count: length), as: UTF8.self)
  }

  /// The shape of an object with one wanted member.
  private func withShape(of name: StaticString, _ body: (UnsafePointer<fastmap_shape>) -> Void) {
    var member = fastmap_shape_member(
      name: UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self),
      length: UInt32(name.utf8CodeUnitCount), shape: nil)
    var places = [UInt32](repeating: 0, count: 4)
    fastmap_shape_settle(&places, 4, &member, 1)
    withUnsafePointer(to: &member) { member in
      places.withUnsafeBufferPointer { places in
        var shape = fastmap_shape(
          member_count: 1, members: member, places: places.baseAddress, place_count: 4, keeps_reals: false,
          is_whole: false, tells_empty: false, elements: nil, others: nil, title: nil, ignored_count: 0,
          ignored: nil)
        withUnsafePointer(to: &shape, body)
      }
    }
  }
}
