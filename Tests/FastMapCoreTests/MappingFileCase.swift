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

  /// A file with one mapping, Person, that has these members.
  init(_ name: String, person: String, _ faults: String...) {
    (self.name, self.faults) = (name, faults)
    file = #"{"fastmap": 1, "mappings": {"Person": {\#(person)}}}"#
  }

  /// A file with one mapping, Person, that has this attribute beside its key.
  init(_ name: String, attribute: String, _ faults: String...) {
    (self.name, self.faults) = (name, faults)
    file =
      #"{"fastmap": 1, "mappings": {"Person": {"primaryKey": "id", "#
      + #""attributes": {"id": "integer", \#(attribute)}}}}"#
  }

  /// A file with two mappings, Person and Car, where Person has this relationship.
  init(_ name: String, relationship: String, _ faults: String...) {
    (self.name, self.faults) = (name, faults)
    file =
      #"{"fastmap": 1, "mappings": {"Person": {"primaryKey": "id", "attributes": {"id": "integer"}, "#
      + #""relationships": {\#(relationship)}}, "Car": {"attributes": {"plate": "string"}}}}"#
  }

  var testDescription: String { name }

  /// All faults are found, in the order of the file.
  func check() throws {
    let error = #expect(throws: MappingDefinitionError.self) { try MappingSet(file: Array(file.utf8)) }
    #expect(error?.faults.map(\.description) == faults)
  }
}
