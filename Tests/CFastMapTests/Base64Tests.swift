import CFastMap
import Testing

@Suite struct Base64Tests {
  /// RFC 4648, section 10, and the ends of the alphabet.
  static let vectors: [(bytes: [UInt8], text: String)] = [
    ([], ""),
    (Array("f".utf8), "Zg=="),
    (Array("fo".utf8), "Zm8="),
    (Array("foo".utf8), "Zm9v"),
    (Array("foob".utf8), "Zm9vYg=="),
    (Array("fooba".utf8), "Zm9vYmE="),
    (Array("foobar".utf8), "Zm9vYmFy"),
    ([0, 0, 0], "AAAA"),
    ([0xff, 0xff, 0xff], "////"),
    ([0xfb, 0xef, 0xbe], "++++"),
    ([0x00, 0x10, 0x83, 0x10, 0x51, 0x87], "ABCDEFGH"),
  ]

  @Test(arguments: vectors)
  func knownVectorsAreWritten(bytes: [UInt8], text: String) {
    #expect(encode(bytes) == text)
  }

  @Test(arguments: vectors)
  func knownVectorsAreReadWithAndWithoutPadding(bytes: [UInt8], text: String) {
    #expect(decode(text) == bytes)
    #expect(decode(text.filter { $0 != "=" }) == bytes)
  }

  @Test(arguments: [
    ("one digit", "Z"), ("one digit after a group", "Zm9vY"), ("padding alone", "="),
    ("four paddings", "===="), ("three paddings", "Z==="), ("one of two paddings", "Zg="),
    ("a padding too many", "Zm9v="), ("padding after a whole group", "Zm9v===="),
    ("padding in the middle", "Zg==Zg=="), ("padding before a digit", "Zg=A"),
    ("a space", "Zm9v Zm9v"), ("a line break", "Zm9v\n"), ("a CRLF", "Zm9v\r\nYmFy"),
    ("the minus of URLs", "Zm9-"), ("the underscore of URLs", "Zm9_"), ("a NUL", "Zm9\0"),
    ("a letter beyond ASCII", "Zm\u{e9}"), ("bits left over in a byte", "Zh=="),
    ("bits left over in two bytes", "Zm9="), ("bits left over without padding", "Zh"),
  ])
  func otherTextsAreRefused(_ name: String, _ text: String) {
    #expect(decode(text) == nil, "\(name)")
  }

  @Test func onlyTheAlphabetIsRead() {
    let alphabet = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    for byte in UInt8.min...UInt8.max {
      for place in 0..<4 {
        var text = Array("AAAA".utf8)
        text[place] = byte
        let isPadding = byte == UInt8(ascii: "=") && place == 3
        #expect((decode(text) != nil) == (alphabet.contains(byte) || isPadding))
      }
    }
  }

  @Test func everyLengthComesBack() {
    for count in 0..<300 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 89 + count) }
      let text = encode(bytes)
      #expect(text.utf8.count == (count + 2) / 3 * 4)
      #expect(decode(text) == bytes)
    }
  }

  @Test func theRoomForUnpaddedTextIsExact() {
    for count in 0..<50 {
      let text = encode(Array(repeating: 7, count: count)).filter { $0 != "=" }
      #expect(fastmap_base64_decoded_max(text.utf8.count) == count)
    }
  }
}

private func encode(_ bytes: [UInt8]) -> String {
  String(unsafeUninitializedCapacity: fastmap_base64_encoded_length(bytes.count)) { room in
    room.withMemoryRebound(to: CChar.self) { fastmap_base64_encode(bytes, bytes.count, $0.baseAddress) }
  }
}

private func decode(_ text: String) -> [UInt8]? { decode(Array(text.utf8)) }

private func decode(_ text: [UInt8]) -> [UInt8]? {
  let characters = text.map(CChar.init(bitPattern:))
  var bytes = [UInt8](repeating: 0, count: fastmap_base64_decoded_max(text.count))
  var count = 0
  guard fastmap_base64_decode(characters, characters.count, &bytes, &count) else { return nil }
  return Array(bytes[..<count])
}
