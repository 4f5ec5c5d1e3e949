#if Postgres
  // `jsonb` keeps a value and not its text: it sorts the members of an object, keeps one of equal names, writes numbers
  // without exponents, and refuses U+0000. FastMap keeps the text. So JSON that `jsonb` would change has a second column
  // with its exact text.
  //
  //     extra               fastmap_exact_extra
  //     [1, "a"]            (null)
  //     {"a": 1, "bb": 2}   {"bb":2,"a":1}
  //     10000000000         1e10
  //     "�"                 "\u0000"
  //     (null)              1e999999                   beyond the range of `jsonb`

  /// JSON texts as they stand in a column of the type `jsonb`.
  struct StoredJSON {
    /// How `jsonb` holds a text.
    enum Form: Equatable {
      /// The server returns the same text.
      case same
      /// The server accepts the text, and returns another one.
      case other
      /// The server accepts this text, where U+0000 is replaced.
      case replaced([UInt8])
      /// The server accepts nothing like it.
      case none
    }

    /// Finds out how `jsonb` holds a text.
    ///
    /// - Parameter maximumLength: The bytes that `jsonb` may take, and half of the bytes that it may return.
    /// - Complexity: O(length).
    static func form(of text: UnsafeRawBufferPointer, maximumLength: Int = Self.maximumLength) -> Form {
      guard text.count <= maximumLength else { return .none }
      var scan = StoredJSON(text)
      guard scan.value(), scan.size <= maximumLength, scan.printedLength <= 2 * maximumLength else {
        return .none
      }
      if !scan.zeros.isEmpty { return .replaced(scan.withoutZeros) }
      return scan.isSame ? .same : .other
    }

    /// Whether a text is JSON, also such that `jsonb` does not take.
    ///
    /// - Complexity: O(length).
    static func isJSON(_ text: UnsafeRawBufferPointer) -> Bool {
      var scan = StoredJSON(text)
      scan.takesAll = true
      return scan.value()
    }

    /// Compacts a text from `jsonb`, which has a space after each comma and colon.
    static func compact(_ text: UnsafeRawBufferPointer) -> [UInt8] {
      var result: [UInt8] = []
      result.reserveCapacity(text.count)
      var isString = false
      var isEscaped = false
      for byte in text {
        if isString {
          if isEscaped {
            isEscaped = false
          } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
          } else if byte == UInt8(ascii: "\"") {
            isString = false
          }
        } else if byte == UInt8(ascii: " ") {
          continue
        } else if byte == UInt8(ascii: "\"") {
          isString = true
        }
        result.append(byte)
      }
      return result
    }

    /// Below the 256 MiB of one `jsonb`. Its text may have 1 GiB.
    private static let maximumLength = 200 << 20
    /// PostgreSQL descends on a stack of limited size.
    private static let maximumDepth = 2048
    /// The most digits of a number, well within `numeric`.
    private static let maximumDigits = 4000

    private let text: UnsafeRawBufferPointer
    private var index = 0
    private var isSame = true
    /// Whether JSON is accepted that PostgreSQL refuses.
    private var takesAll = false
    /// At least as many bytes as `jsonb` takes.
    private var size = 0
    /// The characters that it returns for numbers with exponents, beyond their own.
    private var zeroCount = 0
    /// Where `\u0000` stands.
    private var zeros: [Int] = []
    /// The open arrays and objects: the name of an object's last member.
    private var open: [Level] = []

    private struct Level {
      var isObject: Bool
      var lastName: Range<Int>?
    }

    private init(_ text: UnsafeRawBufferPointer) { self.text = text }

    /// At least as many bytes as `jsonb` returns: it has a space after each comma and colon.
    private var printedLength: Int { 2 * text.count + zeroCount }
  }

  // Each step returns false if the text is not JSON that PostgreSQL accepts.
  extension StoredJSON {
    private var next: UInt8? { index < text.count ? text[index] : nil }

    private mutating func skipSpace() {
      while let byte = next, byte == 0x20 || (0x09...0x0D).contains(byte), byte != 0x0B, byte != 0x0C {
        index += 1
        isSame = false
      }
    }

    private mutating func skip(_ byte: UInt8) -> Bool {
      guard next == byte else { return false }
      index += 1
      return true
    }

    private mutating func value() -> Bool {
      while true {
        skipSpace()
        let start = index
        // An entry, its alignment, the header of a number, and the bytes that PostgreSQL needs to read it.
        defer { size += index - start + 24 }
        switch next {
        case UInt8(ascii: "["), UInt8(ascii: "{"):
          let isObject = next == UInt8(ascii: "{")
          guard takesAll || open.count < Self.maximumDepth else { return false }
          index += 1
          open.append(Level(isObject: isObject))
          skipSpace()
          if next != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
            if isObject { guard member() else { return false } }
            continue
          }
        case UInt8(ascii: "\""): guard string() != nil else { return false }
        case UInt8(ascii: "t"): guard word("true") else { return false }
        case UInt8(ascii: "f"): guard word("false") else { return false }
        case UInt8(ascii: "n"): guard word("null") else { return false }
        default: guard number() else { return false }
        }
        guard let more = closeOrContinue() else { return false }
        if !more { return true }
      }
    }

    /// After a value. Returns whether another value follows; nil if the text is malformed.
    private mutating func closeOrContinue() -> Bool? {
      while let level = open.last {
        skipSpace()
        if skip(level.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          open.removeLast()
          continue
        }
        guard skip(UInt8(ascii: ",")) else { return nil }
        skipSpace()
        if level.isObject { guard member() else { return nil } }
        return true
      }
      skipSpace()
      return index == text.count ? false : nil
    }

    /// The name of a member. `jsonb` sorts members by the length of their names, and then by bytes.
    private mutating func member() -> Bool {
      let start = index
      guard let name = string() else { return false }
      size += name.count + 24
      // An escape changes the length that names are sorted by.
      if text[start..<index].contains(UInt8(ascii: "\\")) { isSame = false }
      if let last = open[open.count - 1].lastName, !isAscending(last, name) { isSame = false }
      open[open.count - 1].lastName = name
      skipSpace()
      return skip(UInt8(ascii: ":"))
    }

    private func isAscending(_ a: Range<Int>, _ b: Range<Int>) -> Bool {
      a.count == b.count ? text[a].lexicographicallyPrecedes(text[b]) : a.count < b.count
    }

    /// Returns where its content stands.
    private mutating func string() -> Range<Int>? {
      guard skip(UInt8(ascii: "\"")) else { return nil }
      let start = index
      while let byte = next {
        if byte < 0x20 { return nil }
        if byte == UInt8(ascii: "\"") {
          index += 1
          return start..<index - 1
        }
        index += 1
        if byte == UInt8(ascii: "\\") { guard escape() else { return nil } }
      }
      return nil
    }

    /// After the backslash.
    private mutating func escape() -> Bool {
      guard let byte = next else { return false }
      index += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"), UInt8(ascii: "n"),
        UInt8(ascii: "r"), UInt8(ascii: "t"):
        return true
      case UInt8(ascii: "/"):
        isSame = false
        return true
      case UInt8(ascii: "u"): return unicodeEscape()
      default: return false
      }
    }

    /// After `\u`.
    private mutating func unicodeEscape() -> Bool {
      guard index + 4 <= text.count else { return false }
      var code = 0
      for byte in text[index..<index + 4] {
        switch byte {
        case 0x30...0x39: code = code << 4 | Int(byte - 0x30)
        case 0x61...0x66: code = code << 4 | Int(byte - 0x57)
        case 0x41...0x46:
          code = code << 4 | Int(byte - 0x37)
          isSame = false
        default: return false
        }
      }
      if code == 0 { zeros.append(index) }
      // PostgreSQL writes only control characters in this form, and a few of them in a shorter one.
      if code >= 0x20 || [0x08, 0x09, 0x0A, 0x0C, 0x0D].contains(code) { isSame = false }
      index += 4
      return takesAll || !(0xD800...0xDFFF).contains(code)
    }

    private mutating func word(_ word: StaticString) -> Bool {
      let end = index + word.utf8CodeUnitCount
      guard end <= text.count,
        UnsafeRawBufferPointer(rebasing: text[index..<end]).elementsEqual(
          UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
      else { return false }
      index = end
      return true
    }

    private mutating func digits() -> Int {
      let start = index
      while let byte = next, (0x30...0x39).contains(byte) { index += 1 }
      return index - start
    }

    private mutating func number() -> Bool {
      let isNegative = skip(UInt8(ascii: "-"))
      let start = index
      let count = digits()
      guard count == 1 || (count > 1 && text[start] != UInt8(ascii: "0")) else { return false }
      if skip(UInt8(ascii: ".")) { guard digits() > 0 else { return false } }
      let mantissa = text[start..<index]
      guard takesAll || mantissa.count <= Self.maximumDigits else { return false }
      // Zero has no sign in PostgreSQL.
      if isNegative, mantissa.allSatisfy({ $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") }) {
        isSame = false
      }
      guard let byte = next, byte | 0x20 == UInt8(ascii: "e") else { return true }
      index += 1
      isSame = false
      if !skip(UInt8(ascii: "-")) { _ = skip(UInt8(ascii: "+")) }
      let exponent = digits()
      if takesAll { return exponent > 0 }
      guard exponent > 0, exponent <= 9 else { return false }
      let value = text[index - exponent..<index].reduce(0) { $0 * 10 + Int($1 - 0x30) }
      zeroCount += value
      return value <= Self.maximumDigits
    }

    private var withoutZeros: [UInt8] {
      var result = Array(text)
      for place in zeros {
        for (offset, byte) in "fffd".utf8.enumerated() { result[place + offset] = byte }
      }
      return result
    }
  }
#endif
