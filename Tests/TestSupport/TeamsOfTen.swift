package import FastMapCore

/// Ten thousand objects with ten related ones each, to count an export's questions to its store.
package enum TeamsOfTen {
  package static let mapping: Mapping<Record> = Mapping("Team", primaryKey: "id") {
    Attribute("id", .integer)
    ToMany("members", member)
  }

  private static let member: Mapping<Record> = Mapping("Member", primaryKey: "id") {
    Attribute("id", .integer)
    Attribute("name", .string)
  }

  /// As an export writes them.
  package static func json(_ count: Int = 10_000) -> String {
    let teams = (0..<count).map { number in
      let members = (0..<10).map { #"{"id":\#(number * 10 + $0),"name":"m"}"# }.joined(separator: ",")
      return #"{"id":\#(number),"members":[\#(members)]}"#
    }
    return "[\(teams.joined(separator: ","))]"
  }
}
