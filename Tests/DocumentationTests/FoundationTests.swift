// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapFoundation
import Foundation

import FastMapMemory
import Testing

@Suite("FastMapFoundation.md")
struct FoundationTests {
  final class Order {
    var id = UUID()
    var placed = Date.distantPast
    var due: Date?
    var total = Decimal()
    var receipt: URL?
    var signature = Data()
    var reminders: [Date] = []

    static let mapping = Mapping(Order.self, "Order", primaryKey: "id", make: { Order() }) {
      Attribute("id", \.id)
      Attribute("placed", \.placed)
      Attribute("due", \.due, as: .date(.pattern("%Y-%m-%d")))
      Attribute("total", \.total)
      Attribute("receipt", \.receipt)
      Attribute("signature", \.signature)
      Attribute("reminders", \.reminders)
    }
  }

  @Test func theOverviewRuns() throws {
    let json = #"""
      {"id": "e621e1f8-c36c-495a-93fc-0c247a3e6e5f", "placed": "2013-07-01T18:00:00Z", "due": "2013-07-02",
       "total": 12.50, "receipt": "https://example.org/1", "signature": "AQI=", "reminders": ["2013-07-01T18:00:00Z"]}
      """#
    let order = try Order.mapping.object(from: json)
    #expect(order?.id == UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"))
    #expect(order?.placed == Date(timeIntervalSince1970: 1_372_701_600))
    #expect(order?.due == Date(timeIntervalSince1970: 1_372_723_200))
    #expect(order?.total == Decimal(string: "12.5"))
    #expect(order?.receipt == URL(string: "https://example.org/1"))
    #expect(order?.signature == Data([1, 2]))
    #expect(order?.reminders.count == 1)
  }

  @Test func otherFormsAreReadAndWritten() throws {
    let utf8 = Transform<Data>(
      reading: { value in
        guard let text = value.string else { throw TransformError("expected a string") }
        return .value(Data(text.utf8))
      },
      writing: { .string(String(decoding: $0, as: UTF8.self)) })

    let mapping = Mapping(Order.self, "Order", make: { Order() }) {
      Attribute("signature", \.signature, transform: utf8)
    }
    let order = try mapping.object(from: #"{"signature": "ab"}"#)
    #expect(order?.signature == Data([97, 98]))
    if let order { #expect(try Serializer(mapping).json(of: order) == #"{"signature":"ab"}"#) }
  }
}
