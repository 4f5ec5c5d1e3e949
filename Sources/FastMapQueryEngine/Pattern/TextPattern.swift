/// The pattern of `match` and `search`: an I-Regexp (RFC 9485), compiled.
///
///     let pattern = try TextPattern("A[a-z]*")
///     pattern.matches("Ada")          // true: the whole string
///     pattern.isFound(in: "an Ada")   // true: a part of it
///
/// The pattern becomes a program, which runs all its alternatives side by side (Thompson, Pike):
///
///     A[a-z]*   →   0 scalar A   1 split 2, 4   2 set [a-z]   3 jump 1   4 end
///
/// A run looks at each instruction at most once for each character, so no pattern takes exponential time. A literal that
/// every match contains is looked for first.
///
/// A pattern that begins with `^` or ends with `$` is a fault. To RFC 9485 they are plain characters, and to most others
/// anchors. Written as `\^` and `[$]` they are characters to all.
///
/// - Complexity: O(*t* × *p*) in the bytes of the string and the instructions of the program.
package struct TextPattern: Sendable {
  /// The pattern as it was written.
  package let text: String
  private let program: TextPatternProgram
  private let literals: TextPatternLiterals

  /// The most instructions. `a{1000}` has a thousand.
  package static let largest = 10_000

  /// Compiles a pattern.
  ///
  /// - Throws: The first fault, with its column in the pattern.
  /// - Complexity: O(*n*) in the bytes of the text and the instructions of the program.
  package init(_ text: String) throws(TextPatternError) {
    var parser = TextPatternParser(text)
    let piece = try parser.pattern()
    self.text = text
    program = TextPatternProgram(piece, parser.sets)
    literals = TextPatternLiterals(piece, parser.sets)
  }

  /// Whether the pattern matches a whole string.
  ///
  /// - Parameter bytes: UTF-8, borrowed for the call. Malformed sequences count as U+FFFD.
  package func matches(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var steps = 0
    return literals.answersMatch(bytes) ?? program.run(bytes, isSearch: false, &steps)
  }

  /// Whether the pattern matches a part of a string.
  ///
  /// - Parameter bytes: UTF-8, borrowed for the call. Malformed sequences count as U+FFFD.
  package func isFound(in bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    var steps = 0
    return literals.answersSearch(bytes) ?? program.run(bytes, isSearch: true, &steps)
  }

  package func matches(_ string: String) -> Bool {
    var string = string
    return string.withUTF8 { matches($0) }
  }

  /// Whether the pattern matches a part of a string.
  package func isFound(in string: String) -> Bool {
    var string = string
    return string.withUTF8 { isFound(in: $0) }
  }

  /// The pattern that a string alone matches.
  package static func escaped(_ string: String) -> String {
    string.unicodeScalars.reduce(into: "") { text, scalar in
      switch scalar {
      case "(", ")", "*", "+", ".", "?", "[", "\\", "]", "^", "{", "|", "}":
        text.unicodeScalars.append("\\")
        text.unicodeScalars.append(scalar)
      case "$": text += "[$]"  // a backslash must not stand before it
      default: text.unicodeScalars.append(scalar)
      }
    }
  }

  package var size: Int { program.size }

  /// The instructions that a run looks at, for tests of linear time.
  package func steps(in string: String, isSearch: Bool) -> Int {
    var string = string
    return string.withUTF8 {
      var steps = 0
      _ = program.run($0, isSearch: isSearch, &steps)
      return steps
    }
  }

  /// The answer without the shortcut of literals, for tests.
  package func runs(on string: String, isSearch: Bool) -> Bool {
    var string = string
    return string.withUTF8 {
      var steps = 0
      return program.run($0, isSearch: isSearch, &steps)
    }
  }
}

/// Equal if they are written alike.
extension TextPattern: Hashable {
  package static func == (a: TextPattern, b: TextPattern) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

/// A fault of a pattern.
///
///     column 3 of the pattern: "\d" is not in I-Regexp: write [0-9]
package struct TextPatternError: Error, Equatable, CustomStringConvertible {
  /// The place in the pattern, in Unicode scalars, counted from 1.
  package let column: Int
  /// A description of the fault.
  package let reason: String
  /// The correct form, appended to the reason.
  var remedy = ""

  package var description: String { "column \(column) of the pattern: \(reason)\(remedy)" }

  /// The description for a pattern that stands in a string, where each backslash is written twice.
  var textInString: String {
    let doubled = remedy.unicodeScalars.reduce(into: "") { text, scalar in
      text += scalar == "\\" ? "\\\\" : String(scalar)
    }
    return "column \(column) of the pattern: \(reason)\(doubled)"
  }
}

/// A pattern as a tree. Its depth is bounded by the parser.
indirect enum TextPatternPiece {
  /// Matches the empty string, and needs no instruction.
  case empty
  case scalar(Unicode.Scalar)
  /// A class, by its number.
  case set(Int)
  case sequence([TextPatternPiece])
  case choice([TextPatternPiece])
  /// `most` is nil where there is no bound.
  case repeated(TextPatternPiece, least: Int, most: Int?)
}
