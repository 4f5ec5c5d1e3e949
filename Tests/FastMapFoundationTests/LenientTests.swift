import FastMapCore
import FastMapFoundation
import Foundation
import TestSupport
import Testing

/// Lenient properties of Foundation's types.
@Suite struct LenientTests {
  private final class Page {
    var id = UUID()
    var home: URL?
    var price: Decimal?
    var changed: Date?
    var seen: Date?
    var photo: Data?
    var links: [URL?] = []
    var prices: [Decimal] = []

    static let mapping = Mapping(Page.self, "Page", primaryKey: "id", make: Page.init) {
      Attribute("id", \.id)
      Attribute("home", \.home)
      Attribute("price", \.price)
      Attribute("changed", \.changed, as: .date([.iso8601, .epochMilliseconds]))
      Attribute("seen", \.seen, as: .date(.epoch))
      Attribute("photo", \.photo)
      Attribute("links", \.links)
      Attribute("prices", \.prices)
    }.lenient
  }

  private static let id = #""id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F""#

  private func load(_ members: String, into world: World) throws -> Page? {
    try world.instances("{\(Self.id),\(members)}", as: Page.mapping).first
  }

  @Test(arguments: StoreKind.allCases)
  func numbersInStringsAndEmptyStringsAreRead(_ kind: StoreKind) throws {
    let world = try World(kind, Page.mapping)
    let page = try load(
      #""home":"a","price":1.50,"changed":"90000","seen":"90.5","photo":"AA==","links":["a","",null],"prices":["1",2]"#,
      into: world)
    #expect((page?.home, page?.price) == (URL(string: "a"), 1.5))
    #expect(page?.changed == Date(timeIntervalSince1970: 90))
    #expect(page?.seen == Date(timeIntervalSince1970: 90.5))
    #expect((page?.links, page?.prices) == ([URL(string: "a"), nil, nil], [1, 2]))
    try #expect(world.load(world.export()) == "Page =1")

    let emptied = try load(#""home":"","price":"","changed":"","seen":"","photo":"""#, into: world)
    #expect(emptied?.home == nil && emptied?.price == nil && emptied?.photo == nil)
    #expect(emptied?.changed == nil && emptied?.seen == nil)
  }

  @Test(arguments: [
    (#""home":5"#, "$.home: expected a string, found the number 5"),
    (#""price":"x""#, #"$.price: expected a decimal number, found the string "x""#),
    (#""prices":[""]"#, #"$.prices[0]: expected a decimal number, found the string """#),
    (#""seen":"x""#, #"$.seen: expected a date (seconds since 1970), found the string "x""#),
  ])
  func anyOtherValueIsAFault(_ members: String, _ message: String) throws {
    let world = try World(.memory, Page.mapping)
    let found = world.failure(of: "{\(Self.id),\(members)}")
    #expect(found?.hasPrefix(message + " (") == true, "\(found ?? "nothing")")
  }
}
