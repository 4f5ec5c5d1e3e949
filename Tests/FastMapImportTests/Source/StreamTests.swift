import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import Foundation
import Synchronization
import TestSupport
import Testing

/// The effect and the report of an import must not depend on how its text arrives.
@Suite struct StreamTests {
  /// A value beyond the limit of depth.
  static let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)

  /// Documents with everything that a cut can hit, and faults of every kind.
  static let documents: [String] = [
    #"[{"id":1,"n":"a\"b\\"},{"id":2,"n":"é😀\u00e9\ud83d\ude00","kids":[{"id":1},3,{"id":4,"n":""}]}]"#,
    " [ {\"id\" : 1} ,\r\n\t {\"id\":12345,\"x\":[1.5e-7,true,false,null,{}]} ] \n ",
    "\u{FEFF}[{\"id\":1},{\"id\":22},{\"id\":333}]", "[]", " [ ] ", "[123", "[12 3]",
    #"{"id":7,"n":"alone"}"#, "7", "  null", "\"x",
    "[1,2] x", "[1,]", "[,1]", "[1,nul]", "[1,01]", "[1e400]", "[1,\"\\ud800\"]", "[{\"id\":1,}]", "", "  ",
    "[{\"id\":1},\n{\"id\":2,\"n\":5},{\"id\":3}]", "[{\"id\":1},\n {\"n\":\"é\"},\n7,{\"id\":true}]",
    "\u{FEFF}",
    #"[{"id":1},{"id":2,"n":"\ud800"},{"id":3,"x":"\udc00"},{"id":4,"n":"\ud83dx"}]"#,
    #"{"id":7,"n":"\ud800"}"#, #"{"id":7,"n":"\ud800"} x"#, #"[{"id":7,"n":"\ud800"]"#,
    #"[{"id":1,"x":1e400}]"#,
    #"[{"id":1},{"id":2,"x":\#(deep)},{"id":3}]"#, #"{"id":2,"x":\#(deep)}"#, #"[{"id":2,"x":\#(deep)"#,
    "[9223372036854775808,1]", "[{\"id\":1}}", "[{\"id\":1]", "[[1]]", "[-]", "[1,\"a\nb\"]",
  ]

  static let rooted: [String] = [
    #"{"a":[1,{"b":"]}"}],"result":{"x":null,"items":[{"id":1},{"id":2,"n":"é"}],"y":[{}]},"z":"é"} "#,
    #"{"result":{"items":[]}}"#, #"{"result":{"items":{"id":3,"n":"x"}},"z":1}"#, #"{"result":{"items":4}}"#,
    #"{"result":{"items":null}}"#, #"{"result":{"other":1}}"#, #"{"result":[1,2]}"#,
    #"{"result":"text","a":1}"#,
    #" {"other":{"items":[{"id":1}]}}"#, "[1,2]", "3", #"{"r\u0065sult":{"it\u0065ms":[1]}}"#,
    #"{"result":{"items":5},"result":{"items":[{"id":6}]}}"#, #"{"result":{"items":5},"result":7}"#, "",
    #"{"result":{"items":5},"result":{}}"#, #"{"result":{"items":[{"id":1},{"id":2}]},"x":[1,]}"#,
    #"{"result":{"items":[{"id":1},{"id":2}]}"#, #"{"result":{"items":[{"id":1},{"id":2}]}} x"#,
    #"{"result":{"items":[{"id":1} {"id":2}]}}"#,
    #"{"result" {"items":[{"id":1},{"id":2}]}}"#, #"{"result":{"items":[{"id":1},{"id":2}],}}"#, #"{x}"#,
    #"{"result":{"items":[{"id":1}],5}}"#,
    #"{"a":tru,"result":{"items":[{"id":1},{"id":2}]}}"#, "{\"a\":\"\n\",\"result\":{\"items\":[1]}}", "{",
    #"{"result":{"items":[{"id":1},{"id":"x"}]},"b":{"c":[1,2,{"d":"e"}]}}"#,
    #"{"result":{"items":[[[[1]]]]}}"#, #"{"result":{"items":[],"items":[{"id":1},2]},"z":1}"#,
    #"{"result":{"items":[ ]},"result":{"items":[]},"result":{"items":[{"id":1}]}}"#,
    #"{"x":"\ud800","result":{"\ud800":1,"items":[{"id":1,"n":"\ud800"},{"id":2}]},"y":1e400}"#,
    #"{"result":{"items":{"id":3,"n":"\ud800"}},"y":"\ud800"}"#,
    #"{"result":{"items":{"id":3,"n":"\ud800"}},"y":}"#,
    #"{"result":{"items":[{"id":1,"x":\#(deep)},{"id":2}]},"y":"\ud800"}"#,
    #"{"y":\#(deep),"result":{"items":[1]}}"#,
    #"{"result":{"items":[]},"result":7}"#,
    #"{"result":{"items":[],"items":{"id":3,"n":"x"}},"z":[2]}"#, #"{"result":{"items":[]},"result":{}}"#,
    #"{"result":{"items":[],"items":[{"id":1}}}"#, #"{"result":{"items":[],"items":null}}"#,
  ]

  static let lines: [String] = [
    "{\"id\":1}\n\n  \r\n{\"id\":2,\"n\":\"é\"}\r\n3\n{\"id\":1,\"n\":\"x\"}", "", "\n\n", "1\n2\n",
    "1\n{\"id\":",
    #"{"id":1,"n":"\ud800"}"# + "\n" + #"{"id":2,"x":"\ud800"}"# + "\n{\"id\":3,\"x\":\(deep)}\n4",
    "{\"id\":1}\n{\"id\":2,\"n\":5}\n", "{\"id\":1} 5\n", "\u{FEFF}1\n\u{FEFF}2", "1\n\n[2]\n",
  ]

  /// The report or the error of an import, and the contents of the store after it.
  private func outcome(
    _ kind: StoreKind, _ text: String, inChunksOf size: Int?, window: Int = 16, _ options: ImportOptions
  ) throws -> String {
    let world = try World(kind, Fixture.node)
    var said: String
    do {
      let report = try world.report(text, inChunksOf: size, window: window, options: options)
      said = "\(summary(report)) of \(report.rootObjects) in \(report.bytes): \(report.errors)"
    } catch {
      said = "\(error)"
    }
    said += try "\n" + world.dump()
    return said
  }

  private func check(_ kind: StoreKind, _ texts: [String], _ options: ImportOptions) throws {
    for text in texts {
      let expected = try outcome(kind, text, inChunksOf: nil, options)
      for size in TestSize.cases(Array(1...max(1, text.utf8.count)), small: 5) {
        let found = try outcome(kind, text, inChunksOf: size, options)
        #expect(found == expected, "\(text) in chunks of \(size)")
      }
    }
  }

  @Test(arguments: [ImportOptions.FaultPolicy.abort, .skip])
  func aTextThatArrivesInChunksIsTheSameTextWhereverItIsCut(_ faults: ImportOptions.FaultPolicy) throws {
    var options = ImportOptions(faults: faults)
    try check(.memory, Self.documents, options)
    options.commitInterval = 1
    try check(.memory, Self.documents, options)
  }

  @Test(arguments: [ImportOptions.FaultPolicy.abort, .skip])
  func textAroundARootPathMayBeCutAnywhere(_ faults: ImportOptions.FaultPolicy) throws {
    var options = ImportOptions(rootPath: "result.items", faults: faults)
    try check(.memory, Self.rooted, options)
    options.maxDepth = 4
    try check(.memory, Self.rooted, options)
    options.rootPath = JSONKeyPath([.index(1), .member("items")])
    let indexed = [
      #"[{"items":[{"id":1}]},{"items":[{"id":2},3]},{"items":[4]}]"#, "[1]", "[1,2]", #"[1,{"items":5},6]"#,
      "[]", "{}",
      #"[1,{"items":[{"id":5}]},6"#,
    ]
    try check(.memory, indexed, options)
  }

  @Test(arguments: [ImportOptions.FaultPolicy.abort, .skip])
  func linesMayBeCutAnywhere(_ faults: ImportOptions.FaultPolicy) throws {
    let options = ImportOptions(format: .ndjson, faults: faults)
    try check(.memory, Self.lines, options)
  }

  // A prefix of such a number may be beyond the range of a double
  @Test(arguments: ["", ".5", ".5e0"])
  func aNumberIsJudgedWhenItIsWhole(_ middle: String) throws {
    let number = "1" + String(repeating: "0", count: 400) + middle + (middle.hasSuffix("0") ? "" : "e-300")
    var options = ImportOptions()
    for text in ["[{\"id\":1,\"x\":\(number)}, 2]", "[1,\(number)0, 3]", "{\"x\":\(number),\"items\":[1]}"] {
      options.rootPath = text.hasPrefix("{") ? "items" : nil
      let expected = try outcome(.memory, text, inChunksOf: nil, options)
      for size in 400...424 {
        let found = try outcome(.memory, text, inChunksOf: size, window: 1024, options)
        #expect(found == expected, "\(text) in chunks of \(size)")
      }
    }
  }

  @Test func theSameHoldsForAStoreOnDisk() throws {
    let documents = [Self.documents[0], Self.documents[1], Self.documents[20]]
    for text in documents {
      let expected = try outcome(.lmdb, text, inChunksOf: nil, .skipping)
      for size in [1, 7, 40] { try #expect(outcome(.lmdb, text, inChunksOf: size, .skipping) == expected) }
    }
  }

  @Test func aSecondMemberOnTheRootPathBehindTheObjectsIsRefused() throws {
    let world = try World(.memory, Fixture.node)
    let options = ImportOptions(rootPath: "items")
    let failure = world.failure(
      of: "{\"items\":[{\"id\":1}],\n \"items\":[{\"id\":2}]}", inChunksOf: 1000, options: options)
    #expect(failure == "line 2, column 2: duplicate name in an object")
    try #expect(world.dump() == "")
  }

  // Memory: the window has the size for one batch, whatever the length of the stream
  @Test(arguments: zip(["[", "{\"a\":[[1,2],{\"b\":\"c\"}],\"items\":["], [true, false]))
  func theWindowDoesNotGrowWithTheStream(_ opening: String, _ readsAhead: Bool) throws {
    let store = MemoryStore()
    let plan = try Plan(Fixture.tag)
    var options = ImportOptions(readsAhead: readsAhead)
    options.alwaysReadsAhead = readsAhead
    if opening.hasPrefix("{") { options.rootPath = "items" }
    // More than the window may have.
    let count = TestSize.count(small: 18_000, whole: 40_000)
    var left = count
    var next = Array(opening.utf8)[...]
    var peak = 0
    let text = String(repeating: "text ", count: 100)
    let report = try Mapper(store).importStream(as: plan, options: options, peak: { peak = $0 }) { room, _ in
      if next.isEmpty, left >= 0 {
        left -= 1
        let ending = opening == "[" ? "]" : "],\"z\":[1,{}]} "
        next =
          left < 0
          ? Array(ending.utf8)[...]
          : Array("\(left == count - 1 ? "" : ",\n"){\"id\":\(left % 50),\"t\":\"\(text)\"}".utf8)[...]
      }
      let piece = next.prefix(room.count)
      room.copyBytes(from: piece)
      next = next.dropFirst(piece.count)
      return piece.count
    }
    #expect(report.rootObjects == count)
    #expect(report.bytes > count * 500)
    #expect(peak <= 8 << 20)
  }

  // Errors: a place late in a stream counts from the start of the whole input
  @Test func anErrorLateInAStreamNamesItsPathLineAndColumn() throws {
    let world = try World(.memory, Fixture.tag)
    let count = TestSize.count(small: 4000, whole: 30_000)
    let text =
      "[" + (0..<count).map { "{\"id\":\($0),\n\"t\":\"é\"}" }.joined(separator: ",") + ",{\"id\":false}]"
    let expected = try #require(world.failure(of: text))
    #expect(expected.hasPrefix("$[\(count)].id: expected an integer"))
    for readsAhead in [false, true] {
      var options = ImportOptions(readsAhead: readsAhead)
      options.alwaysReadsAhead = readsAhead
      #expect(world.failure(of: text, inChunksOf: 777, options: options) == expected)
    }
  }
}
