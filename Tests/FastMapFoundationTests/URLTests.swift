import FastMapCore
import FastMapFoundation
import Foundation
import TestSupport
import Testing

private let home = URL(string: "https://example.org/home")!

/// URLs.
@Suite struct URLTests {
  // FEM-40 FEM-62
  @Test(
    arguments: StoreKind.allCases,
    [
      ("https://example.org/a?b=c#d", nil),
      ("mailto:ada@example.org", nil),
      ("HTTP://[::1]:8080/", nil),
      ("images/ada.png", nil),
      ("#top", nil),
      ("https://example.org/%20", nil),
      ("https://example.org/Zürich", "https://example.org/Z%C3%BCrich"),
      ("https://example.org/?filter[id]=1|2", "https://example.org/?filter%5Bid%5D=1%7C2"),
    ] as [(String, String?)])
  func aURLIsReadFromAStringAndWrittenAsItsAbsoluteString(
    _ kind: StoreKind, _ url: (text: String, absolute: String?)
  ) throws {
    let shelf = try Shelf(kind, home)
    let absolute = url.absolute ?? url.text
    let box = try shelf.load(#""value":"\#(url.text)","maybe":"\#(url.text)","list":["\#(url.text)"]"#)
    #expect((box.value.absoluteString, box.maybe, box.list) == (absolute, box.value, [box.value]))
    let written = #""value":"\#(absolute)","maybe":"\#(absolute)","list":["\#(absolute)"]"#
    #expect(try shelf.text() == written)
    #expect(try shelf.report(written) == .init(unchanged: 1))
    #expect(try shelf.report(#""value":"\#(url.text)""#) == .init(unchanged: 1))
  }

  // FEM-41, Q-03
  @Test(arguments: [
    (#""value":10"#, "$.value: expected a string, found the number 10"),
    (#""value":"""#, #"$.value: expected a URL, found the string """#),
    (#""maybe":"not a URL""#, #"$.maybe: expected a URL, found the string "not a URL""#),
    (#""maybe":"http://a:b:c""#, #"$.maybe: expected a URL, found the string "http://a:b:c""#),
    (#""list":"a:b""#, #"$.list: expected an array, found the string "a:b""#),
  ])
  func anInvalidURLIsAnError(_ json: String, _ expected: String) throws {
    #expect(try Shelf(.memory, home).failure(of: json) == expected)
  }

  // BUG-24
  @Test func aURLThatAProgramSetsIsWrittenWithItsBase() throws {
    let shelf = try Shelf(.memory, home)
    let box = try shelf.load(#""maybe":null"#)
    box.value = URL(string: "ada", relativeTo: home)!
    #expect(try shelf.text(of: box) == #""value":"https://example.org/ada""#)
  }
}
