/// General categories of Unicode, a bit for each: `\p{Lu}`, `\p{L}`.
struct ScalarCategories: OptionSet, Sendable {
  let rawValue: UInt32

  /// The names, in the order of the bits. Surrogates are no characters, so RFC 9485 has no `Cs`.
  private static let names = [
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe",
    "Pi", "Pf", "Po", "Zs", "Zl", "Zp", "Sm", "Sc", "Sk", "So", "Cc", "Cf", "Cn", "Co",
  ]

  static let all = ScalarCategories(rawValue: 1 << UInt32(names.count) - 1)

  /// The category `Lu`, or all categories of the group `L`; nil for an unknown name.
  init?(named name: String) {
    var bits: UInt32 = 0
    for (bit, other) in Self.names.enumerated()
    where other == name || name.utf8.count == 1 && other.utf8.first == name.utf8.first {
      bits |= 1 << UInt32(bit)
    }
    guard bits != 0 else { return nil }
    rawValue = bits
  }

  init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The category of a character.
  init(of scalar: Unicode.Scalar) {
    let bit: UInt32 =
      switch scalar.properties.generalCategory {
      case .uppercaseLetter: 0
      case .lowercaseLetter: 1
      case .titlecaseLetter: 2
      case .modifierLetter: 3
      case .otherLetter: 4
      case .nonspacingMark: 5
      case .spacingMark: 6
      case .enclosingMark: 7
      case .decimalNumber: 8
      case .letterNumber: 9
      case .otherNumber: 10
      case .connectorPunctuation: 11
      case .dashPunctuation: 12
      case .openPunctuation: 13
      case .closePunctuation: 14
      case .initialPunctuation: 15
      case .finalPunctuation: 16
      case .otherPunctuation: 17
      case .spaceSeparator: 18
      case .lineSeparator: 19
      case .paragraphSeparator: 20
      case .mathSymbol: 21
      case .currencySymbol: 22
      case .modifierSymbol: 23
      case .otherSymbol: 24
      case .control: 25
      case .format: 26
      case .unassigned: 27
      case .privateUse: 28
      case .surrogate: 31
      @unknown default: 31
      }
    rawValue = 1 << bit
  }
}
