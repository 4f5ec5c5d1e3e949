import CFastMap
import CFastMapJansson
import FastMapSystem
import Testing

/// The public test data, which is not part of the package: see FASTMAP_CORPORA.
private enum Corpora {
  static let directory = getenv("FASTMAP_CORPORA").map { String(cString: $0) } ?? besidePackage
  static let isThere = !names(in: "JSONTestSuite").isEmpty
  static let reason: Comment = "no corpora in \(directory); FASTMAP_CORPORA says where they are"

  private static var besidePackage: String {
    #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" } + "/shared/corpora"
  }

  static func names(in folder: String) -> [String] {
    guard let listing = opendir("\(directory)/\(folder)") else { return [] }
    defer { closedir(listing) }
    var names: [String] = []
    while let entry = readdir(listing) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasSuffix(".json") { names.append(name) }
    }
    return names.sorted()
  }

  static func bytes(of name: String) -> [UInt8] {
    guard let file = fopen("\(directory)/\(name)", "rb") else { return [] }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
    return bytes
  }
}

@Suite(.enabled(if: Corpora.isThere, Corpora.reason)) struct ReaderCorporaTests {
  /// Every file of JSONTestSuite whose verdict RFC 8259 leaves open, and what is said of it here.
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

  @Test(arguments: Corpora.names(in: "JSONTestSuite")) func everyVerdictOfTheSuiteIsMet(_ name: String) {
    let isRight = withTree(of: Corpora.bytes(of: "JSONTestSuite/\(name)")) { node, _ in node != nil }
    switch name.prefix(2) {
    case "y_": #expect(isRight)
    case "n_": #expect(!isRight)
    default: #expect(isRight == Self.open[name, default: false])
    }
  }

  @Test(arguments: Corpora.names(in: "JSONTestSuite")) func theSuiteIsReadAsJanssonReadsIt(_ name: String) {
    expectAgreement(on: Corpora.bytes(of: "JSONTestSuite/\(name)"))
  }

  @Test(arguments: Corpora.names(in: "real")) func realTextsAreReadAsJanssonReadsThem(_ name: String) {
    let bytes = Corpora.bytes(of: "real/\(name)")
    #expect(withTree(of: bytes) { node, _ in node != nil })
    expectAgreement(on: bytes)
  }

  @Test func aTextThatIsCutSaysSo() {
    for name in Corpora.names(in: "JSONTestSuite") where name.hasPrefix("y_") {
      let bytes = Corpora.bytes(of: "JSONTestSuite/\(name)")
      for length in 0..<bytes.count {
        withTree(of: bytes[..<length]) { node, result in
          // What is right all the same is a shorter number, or lacks whitespace.
          #expect(node != nil || result.error_offset == length, "\(name), the first \(length) bytes")
        }
      }
    }
  }
}
