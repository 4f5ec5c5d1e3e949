import CFastMap
import CFastMapJansson
import TestSupport
import Testing

/// The public test data.
private enum Corpora {
  static let reason: Comment = "no corpora; FASTMAP_CORPORA says where they are"

  static func names(in folder: String) -> [String] {
    Files.corpora.map { Files.names(in: "\($0)/\(folder)").filter { $0.hasSuffix(".json") } } ?? []
  }

  static func bytes(of name: String) throws -> [UInt8] {
    try Files.bytes(of: "\(Files.corpora ?? "")/\(name)")
  }
}

@Suite(.enabled(if: Files.corpora != nil, Corpora.reason)) struct ReaderCorporaTests {
  /// Every file of JSONTestSuite whose verdict RFC 8259 leaves open, and the verdict here.
  private static let open: [String: Bool] = [
    "i_number_double_huge_neg_exp.json": true,
    "i_number_huge_exp.json": false,
    "i_number_neg_int_huge_exp.json": false,
    "i_number_pos_double_huge_exp.json": false,
    "i_number_real_neg_overflow.json": false,
    "i_number_real_pos_overflow.json": false,
    "i_number_real_underflow.json": true,
    "i_number_too_big_neg_int.json": true,
    "i_number_too_big_pos_int.json": true,
    "i_number_very_big_negative_int.json": true,
    "i_structure_500_nested_arrays.json": true,
  ]

  @Test(arguments: Corpora.names(in: "JSONTestSuite")) func everyVerdictOfTheSuiteIsMet(_ name: String) throws
  {
    let isRight = try withTree(of: Corpora.bytes(of: "JSONTestSuite/\(name)")) { node, _ in node != nil }
    switch name.prefix(2) {
    case "y_": #expect(isRight)
    case "n_": #expect(!isRight)
    default: #expect(isRight == Self.open[name, default: false])
    }
  }

  @Test(arguments: Corpora.names(in: "JSONTestSuite")) func theSuiteIsReadAsJanssonReadsIt(_ name: String)
    throws
  {
    try expectAgreement(on: Corpora.bytes(of: "JSONTestSuite/\(name)"))
  }

  @Test(arguments: Corpora.names(in: "real")) func realTextsAreReadAsJanssonReadsThem(_ name: String) throws {
    let bytes = try Corpora.bytes(of: "real/\(name)")
    #expect(withTree(of: bytes) { node, _ in node != nil })
    expectAgreement(on: bytes)
  }

  @Test func aTextThatIsCutSaysSo() throws {
    for name in Corpora.names(in: "JSONTestSuite") where name.hasPrefix("y_") {
      let bytes = try Corpora.bytes(of: "JSONTestSuite/\(name)")
      for length in 0..<bytes.count {
        withTree(of: bytes[..<length]) { node, result in
          // A prefix that is right all the same is a shorter number, or lacks whitespace.
          #expect(node != nil || result.error_offset == length, "\(name), the first \(length) bytes")
        }
      }
    }
  }
}
