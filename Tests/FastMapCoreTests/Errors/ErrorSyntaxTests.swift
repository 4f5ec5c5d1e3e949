import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Texts that are not JSON.
@Suite struct ErrorSyntaxTests {
  // BUG-49
  static let texts: [ErrorCase] = ErrorCase.table(
    .root,
    #"""
    nope ⇒ line 1, column 2: expected true, false or null
    tru ⇒ line 1, column 4: expected true, false or null, found the end of the input
    truE ⇒ line 1, column 4: expected true, false or null
    nul ⇒ line 1, column 4: expected true, false or null, found the end of the input
    falsy ⇒ line 1, column 5: expected true, false or null
    { ⇒ line 1, column 2: expected a name in quotes or '}', found the end of the input
    [ ⇒ line 1, column 2: expected a value, found the end of the input
    [1 ⇒ line 1, column 3: expected a comma or ']', found the end of the input
    [1, ⇒ line 1, column 4: expected a value, found the end of the input
    [1,] ⇒ line 1, column 4: expected a value, found "]"
    [1 2] ⇒ line 1, column 4: expected a comma or ']'
    [1} ⇒ line 1, column 3: expected a comma or ']'
    {"id" ⇒ line 1, column 6: expected a colon, found the end of the input
    {"id" 1} ⇒ line 1, column 7: expected a colon
    {"id": ⇒ line 1, column 7: expected a value, found the end of the input
    {"id":} ⇒ line 1, column 7: expected a value, found "}"
    {"id":1 ⇒ line 1, column 8: expected a comma or '}', found the end of the input
    {"id":1 "s":2} ⇒ line 1, column 9: expected a comma or '}'
    {"id":1, ⇒ line 1, column 9: expected a name in quotes, found the end of the input
    {"id":1,} ⇒ line 1, column 9: expected a name in quotes
    {"id":1] ⇒ line 1, column 8: expected a comma or '}'
    {id:1} ⇒ line 1, column 2: expected a name in quotes or '}'
    {'id':1} ⇒ line 1, column 2: expected a name in quotes or '}', found "'"; JSON has double quotes
    {,} ⇒ line 1, column 2: expected a name in quotes or '}'
    {"id":1}} ⇒ line 1, column 9: expected the end of the text
    {"id":1} x ⇒ line 1, column 10: expected the end of the text
    [] [] ⇒ line 1, column 4: expected the end of the text; this looks like several values; write one a line (jq -c .) and import them as NDJSON (--format ndjson)
    "abc ⇒ line 1, column 5: unterminated string
    "a\x" ⇒ line 1, column 3: invalid escape
    "a\u12G4" ⇒ line 1, column 3: expected four hexadecimal digits after \u
    01 ⇒ line 1, column 1: number with a leading zero
    - ⇒ line 1, column 2: expected a digit, found the end of the input
    -x ⇒ line 1, column 2: expected a digit
    1. ⇒ line 1, column 3: expected a digit, found the end of the input
    1.x ⇒ line 1, column 3: expected a digit
    1e ⇒ line 1, column 3: expected a digit, found the end of the input
    1e+ ⇒ line 1, column 4: expected a digit, found the end of the input
    .5 ⇒ line 1, column 1: expected a value, found "."
    +1 ⇒ line 1, column 1: expected a value, found "+"
    NaN ⇒ line 1, column 1: expected a value, found "N"
    /* x */ 1 ⇒ line 1, column 1: expected a value, found "/"
    {"é😀":x} ⇒ line 1, column 7: expected a value, found "x"
     ⇒ line 1, column 1: expected a value, found the end of the input
        ⇒ line 1, column 4: expected a value, found the end of the input
    ␊␊   ⇒ line 3, column 3: expected a value, found the end of the input
    "a␊b" ⇒ line 1, column 3: control character in a string
    <!DOCTYPE html>␊<html></html> ⇒ line 1, column 1: expected a value, found "<"; this looks like HTML or XML
    [1,␊ 2,␊ tru] ⇒ line 3, column 5: expected true, false or null
    \#u{FEFF} ⇒ line 1, column 1: expected a value, found the end of the input
    \#u{FEFF}[1,] ⇒ line 1, column 4: expected a value, found "]"
    [1]\#u{0} ⇒ line 1, column 4: expected the end of the text
    \#u{0} ⇒ line 1, column 1: expected a value, found "\u0000"
    """#)

  // WAM-06
  @Test(arguments: TestSize.onStores(texts, others: 2))
  func aTextThatIsNotJSONSaysWhereAndWhy(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-15. Root objects that are too deep are faults: see ImportValueFaultTests.
  static let depths: [ErrorCase] =
    ErrorCase.table(
      .root.limited(toDepth: 3),
      #"""
      {"id":1,"x":[[[]]] ⇒ line 1, column 19: expected a comma or '}', found the end of the input
      """#)
    + ErrorCase.table(
      .rooted.limited(toDepth: 4),
      #"""
      {"result":{"items":[]},"x":[[[[]]]]} ⇒ line 1, column 31: nested deeper than the limit of 4
      """#)
    + ErrorCase.table(
      .root,
      #"""
      {"id":1,"x":\#(String(repeating: "[", count: 600)) ⇒ line 1, column 613: expected a value, found the end of the input
      """#)

  @Test(arguments: TestSize.onStores(depths, others: 2))
  func aTextThatIsTooDeepSaysTheLimit(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // Bytes that no string of Swift can hold
  @Test(
    arguments: [
      (Array("\"a".utf8) + [0xFF, 0x22], "line 1, column 3: invalid UTF-8"),
      (Array("[1,\n\"".utf8) + [0xC0, 0x80, 0x22], "line 2, column 2: invalid UTF-8"),
      ([0x22, 0xED, 0xA0, 0x80, 0x22], "line 1, column 2: invalid UTF-8"),
      ([0x22, 0xC3], "line 1, column 3: unterminated string"),
      ([0xFE], "line 1, column 1: expected a value, found the byte 0xFE"),
      ([0x5B, 0xC3, 0xA9, 0x5D], #"line 1, column 2: expected a value, found "é""#),
      ([0x5B, 0x5D, 0x00], "line 1, column 3: expected the end of the text"),
    ] as [([UInt8], String)])
  func bytesThatAreNotUTF8SayWhere(_ bytes: [UInt8], _ message: String) throws {
    let plan = try ErrorSubject.root.plan()
    let error = #expect(throws: JSONSyntaxError.self) {
      try Mapper(MemoryStore()).importJSON(bytes, as: plan)
    }
    #expect(error.map { "\($0)" } == message)
  }
}
