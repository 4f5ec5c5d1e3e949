import FastMapCore
import FastMapFoundation
import FastMapQueries
import Foundation
import Testing

/// The types of Foundation in filters.
struct FilterTests {
  final class Item {
    var id = UUID()
    var posted = Date()
    var homepage: URL?
    var price = Decimal()
    var photo: Data?
  }

  @Test func valuesAreComparedInTheirStoredForm() throws {
    let id = try #require(UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
    let start = Date(timeIntervalSince1970: 0.5)
    expect("@.id == \"E621E1F8-C36C-495A-93FC-0C247A3E6E5F\"") { $0.id == id }
    expect("@.posted >= \"1970-01-01T00:00:00.5Z\"") { $0.posted >= start }
    expect("@.posted >= \"1970-01-01T00:00:00.5Z\" && @.posted < \"1970-01-01T00:00:01.5Z\"") {
      $0.posted.isIn(start..<start + 1)
    }
    expect("@.homepage == \"https://example.org/\"") { $0.homepage == URL(string: "https://example.org/") }
    expect("search(@.homepage, \"example\")") { $0.homepage.text.contains("example") }
    expect("@.price == 12.5") { $0.price == 12.5 }
    expect("@.photo == \"AP8=\"") { $0.photo == Data([0, 255]) }
    expect("@.photo != null") { $0.photo != nil }
  }

  @Test func aDateThatNoStoreHasIsRefused() {
    let never = Date(timeIntervalSinceReferenceDate: .infinity)
    expect("…") { $0.posted < never }
    expect("…") { $0.price == .nan }
  }

  private func expect(_ text: String, _ condition: (FilterObject<Item>) -> some FilterConvertible) {
    #expect(Filter(Item.self, condition).description == text)
  }
}
