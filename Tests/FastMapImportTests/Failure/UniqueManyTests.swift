import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// More conflicts of a unique index than an import keeps in memory.
@Suite struct UniqueManyTests {
  private static let team = Mapping("Team", primaryKey: "id") { Attribute("id", .integer) }
  private static let account: Mapping<Record> = Mapping("Account", primaryKey: "id") {
    Attribute("id", .string)
    Attribute("email", .string)
    Attribute("number", .integer)
    ToOne("team", team)
    ToMany(
      "devices",
      Mapping("Device") {
        Attribute("serial", .string)
        Index("serial", isUnique: true)
      })
    Index("email", isUnique: true)
    Index("team", "number", isUnique: true)
  }

  /// Each third object stays. The others have its email, its team and number, or a device with its serial number.
  private func object(_ number: Int) -> String {
    let (group, id) = (number / 3, #""id":"account \#(number)""#)
    let device = #""devices":[{"serial":"\#(group)"}]"#
    switch (number % 3, group % 3) {
    case (0, _): return #"{\#(id),"email":"e\#(group)","number":\#(group),"team":{"id":7},\#(device)}"#
    case (_, 0): return #"{\#(id),"email":"e\#(group)"}"#
    case (_, 1): return #"{\#(id),"number":\#(group),"team":{"id":7}}"#
    default: return #"{\#(id),\#(device)}"#
    }
  }

  private func error(_ number: Int) -> String {
    let (group, path) = (number / 3, "$[\(number)]")
    func message(_ index: String, _ value: String) -> String {
      "\(path): expected an object of Account that is unique in \"\(index)\", found one with the key \"account \(number)\" that "
        + "has \(value), as the one with the key \"account \(group * 3)\""
    }
    switch group % 3 {
    case 0: return message("email", "\"e\(group)\"")
    case 1: return message("team,number", "7, \(group)")
    default:
      return
        "\(path).devices[0]: expected an object of Device that is unique in \"serial\", found one without a key that has "
        + "\"\(group)\", as one without a key"
    }
  }

  @Test(arguments: StoreKind.allCases)
  func eachErrorIsToldInFullAndAFewAreKept(_ kind: StoreKind) throws {
    // Some 200 bytes each: more than 64 KiB of them stand in a file.
    let count = 3 * TestSize.count(kind, small: 400, others: 60, whole: 2000)
    let world = try World(kind, Self.account)
    let heard = Collector<String>()
    var options = ImportOptions(
      faults: .skip, maxErrors: 5, onError: { heard.add("\($0.path): \($0.message)") })
    let json = "[" + (0..<count).map(object).joined(separator: ",") + "]"
    let report = try world.report(json, options: options)
    let expected = (0..<count).filter { $0 % 3 != 0 }.map(error)
    #expect(heard.all == expected)
    #expect(report.errors.map { "\($0.path): \($0.message)" } == Array(expected.prefix(5)))
    #expect(report.errorCount == count / 3 * 2)
    // Without a receiver, and in a dry run of many commits, the same ones are kept.
    options.onError = nil
    options.isDryRun = true
    options.commitInterval = count / 20
    let again = try World(kind, Self.account).report(json, options: options)
    #expect((again.errors, again.errorCount) == (report.errors, report.errorCount))
  }
}
