import Foundation

/// A log of events, for queries: an integer key and six attributes, in the order of their keys.
///
///     [{"id":1,"user":417,"status":"open","score":0.25,"created":"2014-05-01T12:00:00Z","title":"…","login":"u8a3f…"},…]
struct Events {
  let count: Int
  let json: [UInt8]
  /// Users have some 1000 events each.
  let userCount: Int
  /// By the number of an event, its values.
  private(set) var users: [Int] = []
  private(set) var scores: [Double] = []
  private(set) var created: [UInt64] = []
  private(set) var logins: [String] = []

  static let statuses: [StaticString] = ["open", "closed", "merged", "waiting", "rejected"]
  /// From 2000 on, in seconds.
  static let firstDate: UInt64 = 946_684_800
  static let dates = 946_684_800

  init(count: Int) {
    self.count = count
    userCount = max(1, count / 1000)
    var numbers = SeededNumbers(seed: 18)
    var text = JSONText(capacity: count * 180)
    text.append("[")
    for id in 1...count {
      if id > 1 { text.append(",") }
      users.append(numbers.next(below: userCount))
      scores.append(Double(numbers.next(below: 10_000)) / 10_000)
      created.append(Self.firstDate + UInt64(numbers.next(below: Self.dates)))
      logins.append("u" + String(numbers.next(), radix: 16))
      text.append("{\"id\":")
      text.append(id)
      text.append(",\"user\":")
      text.append(users[id - 1])
      text.append(",\"status\":\"")
      text.append(Self.statuses[Self.status(of: id)])
      text.append("\",\"score\":")
      text.append(scores[id - 1])
      text.append(",\"created\":")
      text.append(dateOf: created[id - 1])
      text.append(",\"title\":\"")
      for word in 0..<5 {
        if word > 0 { text.append(" ") }
        text.append(Self.words[numbers.next(below: Self.words.count)])
      }
      text.append("\",\"login\":\"")
      for byte in logins[id - 1].utf8 { text.append(byte) }
      text.append("\"}")
    }
    text.append("]")
    json = text.bytes
  }

  /// The place of its status.
  static func status(of id: Int) -> Int { id * 7 % Self.statuses.count }

  private static let words: [StaticString] = [
    "lorem", "ipsum", "dolor", "amet", "tempor", "magna", "aliqua", "veniam", "nostrud", "ullamco",
  ]
}
