import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Paths that lead through other values than objects, names that a path must quote, and depth.
@Suite struct ErrorPathTests {
  // BUG-02, BUG-03
  static let steps: [ErrorCase] = ErrorCase.table(
    .paths,
    #"""
    {"id":"a","from":5} → $.from: expected an object, found the number 5 (line 1, column 18)
    {"id":"a","from":0.5} → $.from: expected an object, found the number 0.5 (line 1, column 18)
    {"id":"a","from":"x"} → $.from: expected an object, found the string "x" (line 1, column 18)
    {"id":"a","from":true} → $.from: expected an object, found true (line 1, column 18)
    {"id":"a","from":[]} → $.from: expected an object, found an array (line 1, column 18)
    {"id":"a","from":[{"address":{"city":"x"}}]} → $.from: expected an object, found an array (line 1, column 18)
    {"id":"a","from":{"address":5}} → $.from.address: expected an object, found the number 5 (line 1, column 29)
    {"id":"a","from":{"address":"Main Street"}} → $.from.address: expected an object, found the string "Main Street" (line 1, column 29)
    {"id":"a","from":{"address":false}} → $.from.address: expected an object, found false (line 1, column 29)
    {"id":"a","from":{"address":[{"city":"x"}]}} → $.from.address: expected an object, found an array (line 1, column 29)
    {"id":"a","from":{"address":9223372036854775808}} → $.from.address: expected an object, found the number 9223372036854775808 (line 1, column 29)
    {"id":"a","from":{"address":{"city":5}}} → $.from.address.city: expected a string, found the number 5 (line 1, column 37)
    {"id":"a","from":{"address":{"city":["x"]}}} → $.from.address.city: expected a string, found an array (line 1, column 37)
    {"id":"a","from":{"address":{"city":"x","zip":"y"}}} → $.from.address.zip: expected an integer, found the string "y" (line 1, column 47)
    {"id":"a","odd name":1} → $["odd name"]: expected an object, found the number 1 (line 1, column 22)
    {"id":"a","odd name":{"x":"1"}} → $["odd name"].x: expected an integer, found the string "1" (line 1, column 27)
    """#)

  @Test(arguments: TestSize.onStores(steps, others: 2))
  func aKeyPathLeadsThroughObjectsOnly(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-03, FEM-08
  static let lists: [ErrorCase] = ErrorCase.table(
    .lists,
    #"""
    {"id":"a","row":5} → $.row: expected an array, found the number 5 (line 1, column 17)
    {"id":"a","row":{}} → $.row: expected an array, found an object (line 1, column 17)
    {"id":"a","row":[1,2]} → $.row[1]: expected an object, found the number 2 (line 1, column 20)
    {"id":"a","row":[{},{"n":"x"}]} → $.row[1].n: expected an integer, found the string "x" (line 1, column 26)
    {"id":"a","tags":5} → $.tags: expected an array, found the number 5 (line 1, column 18)
    {"id":"a","tags":[{"n":1},2]} → $.tags[1]: expected an object, found the number 2 (line 1, column 27)
    {"id":"a","staff":[{"person":"x"},{"person":7}]} → $.staff[1].person: expected an object or a string, found the number 7 (line 1, column 45)
    {"id":"a","staff":[{"person":{}}]} → $.staff[0].person.id: expected a string, the primary key of Tag, found nothing (line 1, column 30)
    {"id":"a","staff":[{},5]} → $.staff[1]: expected an object, found the number 5 (line 1, column 23)
    """#)

  @Test(arguments: TestSize.onStores(lists, others: 2))
  func aKeyPathThroughAnArrayNamesTheElement(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-04, Q-28
  static let names: [ErrorCase] = ErrorCase.table(
    .paths,
    #"""
    {"id":"a","a.b":"x"} → $["a.b"]: expected an integer, found the string "x" (line 1, column 17)
    {"id":"a","\"q\"":"x"} → $["\"q\""]: expected an integer, found the string "x" (line 1, column 19)
    {"id":"a","\\":"x"} → $["\\"]: expected an integer, found the string "x" (line 1, column 16)
    {"id":"a","":"x"} → $[""]: expected an integer, found the string "x" (line 1, column 14)
    {"id":"a","a\u0000b":"x"} → $["a\u0000b"]: expected an integer, found the string "x" (line 1, column 22)
    {"id":"a","a\nb":"x"} → $["a\nb"]: expected an integer, found the string "x" (line 1, column 18)
    {"id":"a","né":"x"} → $.né: expected an integer, found the string "x" (line 1, column 16)
    {"id":"é😀","né":"x"} → $.né: expected an integer, found the string "x" (line 1, column 17)
    {"id":"a","n\u00e9":"x"} → $.né: expected an integer, found the string "x" (line 1, column 21)
    {"id":"a","名前":"x"} → $.名前: expected an integer, found the string "x" (line 1, column 16)
    {"id":"a","[0]":"x"} → $["[0]"]: expected an integer, found the string "x" (line 1, column 17)
    {"id":"a","$":"x"} → $["$"]: expected an integer, found the string "x" (line 1, column 15)
    {"id":"a","1st":"x"} → $.1st: expected an integer, found the string "x" (line 1, column 17)
    {"id":"a","👩\#u{200D}👧":"x"} → $["👩\#u{200D}👧"]: expected an integer, found the string "x" (line 1, column 17)
    {"id":"a","\ud83d\udc69\#u{200D}👧":"x"} → $["👩\#u{200D}👧"]: expected an integer, found the string "x" (line 1, column 28)
    {"id":"a","a\#u{202E}b":"x"} → $["a\u202eb"]: expected an integer, found the string "x" (line 1, column 17)
    {"id":"a","né":1, "né" :␉"last"} → $.né: expected an integer, found the string "last" (line 1, column 26)
    ␊␊  {"id":"a",␍␊"né":␍␊  "x"} → $.né: expected an integer, found the string "x" (line 5, column 3)
    """#)

  @Test(arguments: TestSize.onStores(names, others: 2))
  func aPathQuotesOddNames(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-15
  static let depth: [ErrorCase] = ErrorCase.table(
    .tree,
    #"""
    {"id":"11","n":"x"} → $.a.b[2].a.a.b[0].a.b[1].b[0].a.n: expected an integer, found the string "x" (line 2, column 79)
    7 → $.a.b[2].a.a.b[0].a.b[1].b[0].a: expected an object or a string, found the number 7 (line 2, column 64)
    [] → $.a.b[2].a.a.b[0].a.b[1].b[0].a: expected one object or one string, found an array (line 2, column 64)
    {"n":1} → $.a.b[2].a.a.b[0].a.b[1].b[0].a.id: expected a string, the primary key of Node, found nothing (line 2, column 64)
    {"id":null} → $.a.b[2].a.a.b[0].a.b[1].b[0].a.id: expected a string, the primary key of Node, found null (line 2, column 70)
    {"id":"11","b":7} → $.a.b[2].a.a.b[0].a.b[1].b[0].a.b: expected an object or a string, found the number 7 (line 2, column 79)
    {"id":"11","b":["12",[]]} → $.a.b[2].a.a.b[0].a.b[1].b[0].a.b[1]: expected an object or a string, found an array (line 2, column 85)
    {"id":"11","b":{"id":12}} → $.a.b[2].a.a.b[0].a.b[1].b[0].a.b.id: expected a string, found the number 12 (line 2, column 85)
    """#, inside: elevenDeep)

  @Test(arguments: TestSize.onStores(depth, others: 2))
  func aPathGoesAsDeepAsTheData(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  /// A value ten levels inside of a node, in the second line.
  private static func elevenDeep(_ leaf: String) -> String {
    #"{"id":"1","a":{"id":"2","b":[{"id":"3"},null,{"id":"4","a":{"id":"5","a":{"id":"6","b":["# + "\n"
      + #"{"id":"7","a":{"id":"8","b":["x",{"id":"9","b":[{"id":"10","a":"# + leaf + "}]}]}}]}}}]}}"
  }
}
