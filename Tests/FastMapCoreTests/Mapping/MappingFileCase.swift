import FastMapCore
import Testing

/// A mapping file that is wrong, and all that is said of it, one fault a line.
struct MappingFileCase: CustomTestStringConvertible, Sendable {
  let name: String
  let file: String
  let faults: [String]

  init(_ name: String, _ file: String, _ faults: String...) {
    (self.name, self.file, self.faults) = (name, file, faults)
  }

  /// The text around the part of a mapping file that a row of a table has.
  enum Frame {
    case file
    /// One mapping, Person, that has these members.
    case person
    /// One mapping, Person, that has this attribute beside its key.
    case attribute
    /// Two mappings, Person and Car, where Person has this relationship.
    case relationship

    fileprivate func file(_ part: String) -> String {
      let start = #"{"fastmap": 1, "mappings": {"Person": {"#
      let keyed = start + #""primaryKey": "id", "attributes": {"id": "integer""#
      return switch self {
      case .file: part
      case .person: start + part + "}}}"
      case .attribute: keyed + ", " + part + "}}}}"
      case .relationship:
        keyed + #"}, "relationships": {\#(part)}}, "Car": {"attributes": {"plate": "string"}}}}"#
      }
    }
  }

  /// A case a line: its name, a bar, the text inside the frame, an arrow, and the one fault.
  static func table(_ frame: Frame, _ rows: String) -> [MappingFileCase] {
    rows.split(separator: "\n").map { row in
      let parts = row.split(separator: " │ ").flatMap { $0.split(separator: " → ", maxSplits: 1) }
      precondition(parts.count == 3, "a row has a name, a part of a file and a fault: \(row)")
      return MappingFileCase(String(parts[0]), frame.file(String(parts[1])), String(parts[2]))
    }
  }

  var testDescription: String { name }

  /// All faults are found, in the order of the file.
  func check() throws {
    let error = #expect(throws: MappingDefinitionError.self) { try MappingSet(file: Array(file.utf8)) }
    #expect(error?.faults.map(\.description) == faults)
  }
}
