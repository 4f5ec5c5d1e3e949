import CFastMap
import CFastMapJansson
import FastMapStoreTesting
import Testing

@Suite struct ReaderLimitTests {
  @Test(arguments: [1, 2, 63, 64, 65, 512, 2_048, 100_000]) func depthIsLimitedWhereAsked(_ depth: Int) {
    let options = fastmap_read_options(max_depth: UInt32(depth))
    #expect(isRead(nested(depth), options: options))
    #expect(isRead(nested(depth, within: "{\"a\":", "}"), options: options))
    let deeper = nested(depth + 1)
    #expect(withTree(of: deeper, options: options) { _, result in result.error } == FASTMAP_READ_TOO_DEEP)
    #expect(withTree(of: deeper, options: options) { _, result in result.error_offset } == depth)
  }

  @Test func depthIs512UnlessSaid() {
    #expect(isRead(nested(512)))
    #expect(!isRead(nested(513)))
    #expect(!isRead(Array(repeating: UInt8(ascii: "["), count: 100_000)))
  }

  @Test func siblingsDoNotCountAsDepth() {
    let row = "[" + Array(repeating: "[[]]", count: 1_000).joined(separator: ",") + "]"
    #expect(isRead(Array(row.utf8), options: .init(max_depth: 3)))
    #expect(!isRead(Array(row.utf8), options: .init(max_depth: 2)))
  }

  @Test func aDeepTreeInAnArenaIsEndedWithoutAWalk() {
    let arena = fastmap_tree_arena_new()
    defer { fastmap_tree_arena_free(arena) }
    let text = nested(100_000)
    var options = fastmap_read_options(max_depth: 100_000), result = fastmap_read_result()
    for _ in 0..<3 {
      #expect(fastmap_read(arena, text, text.count, &options, &result))
      fastmap_tree_arena_reset(arena)
    }
  }

  /// jansson recurses when it frees a value that a member's second value replaces.
  @Test(arguments: [true, false]) func aDeepValueThatIsReplacedTakesNoStack(_ hasArena: Bool) {
    let depth = TestSize.count(small: 200_000, whole: 1_000_000)
    let arena = hasArena ? fastmap_tree_arena_new() : nil
    defer { fastmap_tree_arena_free(arena) }
    let text = Array("{\"j\":".utf8) + nested(depth) + Array(",\"j\":1}".utf8)
    var options = fastmap_read_options(max_depth: UInt32(depth) + 1), result = fastmap_read_result()
    #expect(fastmap_read(arena, text, text.count, &options, &result))
    let tree = result.tree?.assumingMemoryBound(to: json_t.self)
    #expect(json_integer_value(json_object_get(tree, "j")) == 1)
    #expect(json_object_size(tree) == 1)
    if !hasArena { fastmap_tree_release(result.tree) }
  }

  @Test(arguments: [
    ("[1,2]", 5, Reading.tree("[1,2]")),
    ("[1,2]", 4, .fault(FASTMAP_READ_TOO_LARGE, at: 4)),
    ("[1,2] ", 5, .fault(FASTMAP_READ_TOO_LARGE, at: 5)),
    ("[1,2]", 1, .fault(FASTMAP_READ_TOO_LARGE, at: 1)),
    ("[1,2x", 4, .fault(FASTMAP_READ_TOO_LARGE, at: 4)),
    ("[x,2]", 4, .fault(FASTMAP_READ_VALUE_EXPECTED, at: 1)),
    ("12", 2, .tree("12")),
    ("123", 2, .fault(FASTMAP_READ_TOO_LARGE, at: 2)),
    ("\"\\u00e9\"", 7, .fault(FASTMAP_READ_TOO_LARGE, at: 7)),
  ]) func lengthIsLimitedWhereAsked(_ text: String, limit: Int, expected: Reading) {
    #expect(read(text.utf8, options: .init(max_length: limit)) == expected)
  }

  @Test(arguments: [
    ("12,", 2, 2), ("123", 3, 3), ("[1]]", 3, 3), ("  [1]x", 5, 5), ("true}", 4, 4), ("\"a\"b", 3, 3),
    ("1 2", 1, 1),
    ("[[1],[2]],3", 9, 9),
  ]) func oneValueIsReadAndNoMore(_ text: String, limit: Int, consumed: Int) {
    let options = fastmap_read_options(max_length: limit, one_value: true)
    withTree(of: text.utf8, options: options) { node, result in
      #expect(node != nil)
      #expect(result.consumed == consumed)
    }
    let shorter = fastmap_read_options(max_length: limit - 1, one_value: true)
    withTree(of: text.utf8, options: shorter) { _, result in
      #expect(limit == 1 || result.error == FASTMAP_READ_TOO_LARGE)
    }
  }

  @Test func elementsAreReadOneAfterTheOther() {
    let text = Array(#"[ {"a":1}, [2,3] ,"four",5]"#.utf8)
    var options = fastmap_read_options(start: 1, one_value: true)
    var dumps: [Reading] = [], ends: [Int] = []
    while options.start < text.count {
      dumps.append(read(text, options: options))
      options.start = withTree(of: text, options: options) { _, result in result.consumed }
      ends.append(options.start)
      options.start = (text[options.start...].firstIndex(of: UInt8(ascii: ",")) ?? text.count) + 1
    }
    #expect(dumps == [.tree(#"{"a":1}"#), .tree("[2,3]"), .tree(#""four""#), .tree("5")])
    #expect(ends == [9, 16, 24, 26])
  }

  @Test func offsetsCountFromTheBeginningOfTheText() {
    let text = Array("garbage [1,x]".utf8)
    #expect(read(text, options: .init(start: 8)) == .fault(FASTMAP_READ_VALUE_EXPECTED, at: 11))
    #expect(read(text, options: .init(start: 13)) == .fault(FASTMAP_READ_VALUE_EXPECTED, at: 13))
    #expect(read(text, options: .init(start: 99)) == .fault(FASTMAP_READ_VALUE_EXPECTED, at: 13))
    let marked = [0xEF, 0xBB, 0xBF] + Array("[1]".utf8)
    #expect(read(marked, options: .init(start: 3)) == .tree("[1]"))
  }

  @Test func skippingDoesNotMindDuplicates() {
    let text = Array(#"{"a":1,"a":2}"#.utf8)
    var options = fastmap_read_options(rejects_duplicates: true), result = fastmap_read_result()
    #expect(fastmap_skip(text, text.count, &options, &result))
    #expect(result.tree == nil && result.consumed == text.count)
  }
}

private func nested(_ depth: Int, within opening: String = "[", _ closing: String = "]") -> [UInt8] {
  Array(
    (String(repeating: opening, count: depth - 1) + "[]" + String(repeating: closing, count: depth - 1)).utf8)
}

private func isRead(_ text: [UInt8], options: fastmap_read_options = .init()) -> Bool {
  withTree(of: text, options: options) { node, _ in node != nil }
}
