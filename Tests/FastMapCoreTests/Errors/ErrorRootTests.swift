import FastMapCore
import FastMapMemory
import FastMapStoreTesting
import TestSupport
import Testing

/// Faults at the root, at a root path, or in a line.
@Suite struct ErrorRootTests {
  // BUG-09, BUG-11, BUG-12, BUG-13
  static let roots: [ErrorCase] =
    ErrorCase.table(
      .root,
      #"""
      null ⇒ $: expected an object or an array of objects, found null (line 1, column 1)
      true → $: expected an object, found true (line 1, column 1)
      "x" → $: expected an object, found the string "x" (line 1, column 1)
      1.5 → $: expected an object, found the number 1.5 (line 1, column 1)
      9223372036854775808 → $: expected an object, found the number 9223372036854775808 (line 1, column 1)
      [null] → $[0]: expected an object, found null (line 1, column 2)
      [{"id":1},null,{"id":2}] → $[1]: expected an object, found null (line 1, column 11)
      [[]] → $[0]: expected an object, found an array (line 1, column 2)
      [[{"id":1}]] → $[0]: expected an object, found an array (line 1, column 2)
      ["x"] → $[0]: expected an object, found the string "x" (line 1, column 2)
      [true] → $[0]: expected an object, found true (line 1, column 2)
      """#)
    + ErrorCase.table(
      .keyless,
      #"""
      null ⇒ $: expected an object or an array of objects, found null (line 1, column 1)
      5 → $: expected an object, found the number 5 (line 1, column 1)
      "x" → $: expected an object, found the string "x" (line 1, column 1)
      [null] → $[0]: expected an object, found null (line 1, column 2)
      [[]] → $[0]: expected an object, found an array (line 1, column 2)
      [{"n":1},2] → $[1]: expected an object, found the number 2 (line 1, column 10)
      {"n":"x"} → $.n: expected an integer, found the string "x" (line 1, column 6)
      """#)
    + ErrorCase.table(
      .bare,
      #"""
      null ⇒ $: expected an object or an array of objects, found null (line 1, column 1)
      {} → $: expected an integer, found an object (line 1, column 1)
      "x" → $: expected an integer, found the string "x" (line 1, column 1)
      [null] → $[0]: expected an integer, found null (line 1, column 2)
      [[1]] → $[0]: expected an integer, found an array (line 1, column 2)
      [{"id":1}] → $[0]: expected an integer, found an object (line 1, column 2)
      [1,2.5] → $[1]: expected an integer, found the number 2.5 (line 1, column 4)
      """#)
    + ErrorCase.table(
      .values,
      #"""
      null ⇒ $: expected an object or an array of objects, found null (line 1, column 1)
      "x" → $: expected a number, found the string "x" (line 1, column 1)
      [null] → $[0]: expected a number, found null (line 1, column 2)
      [[1]] → $[0]: expected a number, found an array (line 1, column 2)
      [{}] → $[0]: expected a number, found an object (line 1, column 2)
      [1,"2"] → $[1]: expected a number, found the string "2" (line 1, column 4)
      """#)

  // WAM-03, WAM-04, WAM-07, Q-28
  @Test(arguments: TestSize.onStores(roots, others: 2))
  func aRootThatIsNoObjectIsAnError(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-11, FEM-129, FEM-178
  static let rootPaths: [ErrorCase] = ErrorCase.table(
    .rooted,
    #"""
    {} ⇒ $.result: expected the objects to map at this root path, found nothing (line 1, column 1)
    null ⇒ $: expected an object, found null (line 1, column 1)
    [] ⇒ $: expected an object, found an array (line 1, column 1)
    5 ⇒ $: expected an object, found the number 5 (line 1, column 1)
    "x" ⇒ $: expected an object, found the string "x" (line 1, column 1)
    {"result":{}} ⇒ $.result.items: expected the objects to map at this root path, found nothing (line 1, column 11)
    {"result":null} ⇒ $.result: expected an object, found null (line 1, column 11)
    {"result":[]} ⇒ $.result: expected an object, found an array (line 1, column 11)
    {"result":"x"} ⇒ $.result: expected an object, found the string "x" (line 1, column 11)
    {"result":true} ⇒ $.result: expected an object, found true (line 1, column 11)
    {"result":9223372036854775808} ⇒ $.result: expected an object, found the number 9223372036854775808 (line 1, column 11)
    {"result":{"items":null}} ⇒ $.result.items: expected an object or an array of objects, found null (line 1, column 20)
    {"result":{"items":5.5}} → $.result.items: expected an object, found the number 5.5 (line 1, column 20)
    {"result":{"items":"x"}} → $.result.items: expected an object, found the string "x" (line 1, column 20)
    {"result":{"items":[null]}} → $.result.items[0]: expected an object, found null (line 1, column 21)
    {"result":{"items":[[]]}} → $.result.items[0]: expected an object, found an array (line 1, column 21)
    {"result":{"items":[{"id":1},{"id":2,"n":"x"}]}} → $.result.items[1].n: expected a number, found the string "x" (line 1, column 42)
    {"result":{"items":{"id":"x"}}} → $.result.items.id: expected an integer, found the string "x" (line 1, column 26)
    {"result":{"items":{}}} → $.result.items.id: expected an integer, the primary key of Rooted, found nothing (line 1, column 20)
    {"result":{"items":[{"id":1}]},"result":{"items":[{"id":2},"x"]}} → $.result.items[1]: expected an object, found the string "x" (line 1, column 60)
    {␊ "result": {"other": [],␊␉"items" : null}} ⇒ $.result.items: expected an object or an array of objects, found null (line 3, column 12)
    {"result":{"items":[␊{"id":1},␊{"n":2}]}} → $.result.items[1].id: expected an integer, the primary key of Rooted, found nothing (line 3, column 1)
    """#)

  @Test(arguments: TestSize.onStores(rootPaths, others: 2))
  func aRootPathThatLeadsNowhereIsAnError(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  @Test(arguments: [-1, Int.min], [true, false])
  func aNegativeIndexInARootPathIsAnError(_ index: Int, _ isOfTheMapping: Bool) throws {
    let path = JSONKeyPath([.member("items"), .index(index)])
    let mapping = Mapping("Item", rootPath: isOfTheMapping ? path : .wholeValue) { Attribute("n", .integer) }
    let options = ImportOptions(rootPath: isOfTheMapping ? nil : path)
    let error = #expect(throws: MappingDefinitionError.self) {
      try Mapper(MemoryStore()).importJSON(#"{"items": [{"n": 1}]}"#, as: mapping, options: options)
    }
    #expect(error?.faults.map(\.reason) == ["expected an index from 0, found \(index)"])
  }

  // FEM-173, BUG-12
  static let lines: [ErrorCase] =
    ErrorCase.table(
      .root.ndjson,
      #"""
      [1] → $[0]: expected an object, found an array (line 1, column 1)
      {"id":1}␊{"id":"x"}␊ → $[1].id: expected an integer, found the string "x" (line 2, column 7)
      {"id":1}␊␊  ␊  {"id":true} → $[1].id: expected an integer, found true (line 4, column 9)
      {"id":1}␊null␊{"id":2} → $[1]: expected an object, found null (line 2, column 1)
      {"id":1}␊["x"] → $[1]: expected an object, found an array (line 2, column 1)
      {"id":1}␍␊{}␍␊ → $[1].id: expected an integer, the primary key of Root, found nothing (line 2, column 1)
      """#)
    + ErrorCase.table(
      .rooted.ndjson,
      #"""
      {"result":{"items":null}} ⇒ $[0].result.items: expected the objects to map at this root path, found nothing (line 1, column 20)
      {"result":{"items":{"id":1}}}␊{"result":5} ⇒ $[1].result: expected an object, found the number 5 (line 2, column 11)
      {"result":{"items":{"id":1}}}␊{"result":{"items":{"id":1,"n":[]}}} → $[1].result.items.n: expected a number, found an array (line 2, column 32)
      """#)

  @Test(arguments: TestSize.onStores(lines, others: 2))
  func aFaultInALineHasTheLinesNumber(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }
}
