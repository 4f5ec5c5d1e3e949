import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Arrays for objects, objects for arrays, and bare values for either.
@Suite struct ErrorRelationshipTests {
  // BUG-07, BUG-08, Q-11
  static let toOne: [ErrorCase] = ErrorCase.table(
    .related,
    #"""
    {"id":"a","customer":[]} → $.customer: expected one object or one integer, found an array (line 1, column 22)
    {"id":"a","customer":[{"id":1}]} → $.customer: expected one object or one integer, found an array (line 1, column 22)
    {"id":"a","customer":"x"} → $.customer: expected an object or an integer, found the string "x" (line 1, column 22)
    {"id":"a","customer":true} → $.customer: expected an object or an integer, found true (line 1, column 22)
    {"id":"a","customer":1.5} → $.customer: expected an object or an integer, found the number 1.5 (line 1, column 22)
    {"id":"a","customer":9223372036854775808} → $.customer: expected an object or an integer from -9223372036854775808 to 9223372036854775807, found the number 9223372036854775808 (line 1, column 22)
    {"id":"a","customer":{"id":"1"}} → $.customer.id: expected an integer, found the string "1" (line 1, column 28)
    {"id":"a","customer":{"id":1,"name":2}} → $.customer.name: expected a string, found the number 2 (line 1, column 37)
    {"id":"a","customer":{"id":1,"home":[]}} → $.customer.home: expected one object, found an array (line 1, column 37)
    {"id":"a","customer":{"id":1,"home":5}} → $.customer.home: expected an object, found the number 5 (line 1, column 37)
    {"id":"a","customer":{"id":1,"home":{"zip":"x"}}} → $.customer.home.zip: expected an integer, found the string "x" (line 1, column 44)
    {"id":"a","deal":[]} → $.deal: expected an object, found an array (line 1, column 18)
    {"id":"a","deal":7} → $.deal: expected an object, found the number 7 (line 1, column 18)
    {"id":"a","deal":{"seller":[1]}} → $.deal.seller: expected one object or one integer, found an array (line 1, column 28)
    {"id":"a","deal":{"seller":"x"}} → $.deal.seller: expected an object or an integer, found the string "x" (line 1, column 28)
    {"id":"a","deal":{"seller":{"id":1.5}}} → $.deal.seller.id: expected an integer, found the number 1.5 (line 1, column 34)
    {"id":"a","main":{}} → $.main: expected an integer, found an object (line 1, column 18)
    {"id":"a","main":[1]} → $.main: expected one integer, found an array (line 1, column 18)
    {"id":"a","main":"1"} → $.main: expected an integer, found the string "1" (line 1, column 18)
    {"id":"a","main":{"id":1}} → $.main: expected an integer, found an object (line 1, column 18)
    {"id":"a","phone":5} → $.phone: expected a string, found the number 5 (line 1, column 19)
    {"id":"a","phone":["1"]} → $.phone: expected one string, found an array (line 1, column 19)
    {"id":"a","phone":{}} → $.phone: expected a string, found an object (line 1, column 19)
    {"id":"a","next":5} → $.next: expected an object, found the number 5 (line 1, column 18)
    {"id":"a","next":[]} → $.next: expected one object, found an array (line 1, column 18)
    {"id":"a","next":{"n":true}} → $.next.n: expected an integer, found true (line 1, column 23)
    """#)

  // WAM-50, WAM-52, WAM-87, WAM-89
  @Test(arguments: TestSize.onStores(toOne, others: 2))
  func aToOneTakesOneObjectOrKey(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-05, BUG-06, BUG-09, BUG-10, Q-12
  static let toMany: [ErrorCase] = ErrorCase.table(
    .related,
    #"""
    {"id":"a","lines":"x"} → $.lines: expected an object, found the string "x" (line 1, column 19)
    {"id":"a","lines":7} → $.lines: expected an object, found the number 7 (line 1, column 19)
    {"id":"a","lines":true} → $.lines: expected an object, found true (line 1, column 19)
    {"id":"a","lines":[{"count":1},2]} → $.lines[1]: expected an object, found the number 2 (line 1, column 32)
    {"id":"a","lines":[null,{"count":"x"}]} → $.lines[1].count: expected an integer, found the string "x" (line 1, column 34)
    {"id":"a","lines":[[]]} → $.lines[0]: expected an object, found an array (line 1, column 20)
    {"id":"a","lines":[[{"count":1}]]} → $.lines[0]: expected an object, found an array (line 1, column 20)
    {"id":"a","lines":{"count":"x"}} → $.lines.count: expected an integer, found the string "x" (line 1, column 28)
    {"id":"a","lines":[{"product":{"meta":5}}]} → $.lines[0].product.meta: expected an object, found the number 5 (line 1, column 39)
    {"id":"a","lines":[{"count":1},{"product":{"meta":{"sku":1}}}]} → $.lines[1].product.meta.sku: expected a string, found the number 1 (line 1, column 58)
    {"id":"a","lines":[{"product":[1]}]} → $.lines[0].product: expected one object or one string, found an array (line 1, column 31)
    {"id":"a","tags":7} → $.tags: expected an object or a string, found the number 7 (line 1, column 18)
    {"id":"a","tags":["x",7]} → $.tags[1]: expected an object or a string, found the number 7 (line 1, column 23)
    {"id":"a","tags":[{"id":"x"},{"id":7}]} → $.tags[1].id: expected a string, found the number 7 (line 1, column 36)
    {"id":"a","tags":[{"id":"x"},{}]} → $.tags[1].id: expected a string, the primary key of Tag, found nothing (line 1, column 30)
    {"id":"a","tags":[{"id":"x"},{"id":null}]} → $.tags[1].id: expected a string, the primary key of Tag, found null (line 1, column 36)
    {"id":"a","tags":["x",["y"]]} → $.tags[1]: expected an object or a string, found an array (line 1, column 23)
    {"id":"a","tags":{"x":1}} → $.tags.id: expected a string, the primary key of Tag, found nothing (line 1, column 18)
    {"id":"a","tags":[true]} → $.tags[0]: expected an object or a string, found true (line 1, column 19)
    {"id":"a","links":"x"} → $.links: expected an integer, found the string "x" (line 1, column 19)
    {"id":"a","links":[1,{"id":2}]} → $.links[1]: expected an integer, found an object (line 1, column 22)
    {"id":"a","links":[1,2.0]} → $.links[1]: expected an integer, found the number 2.0 (line 1, column 22)
    {"id":"a","links":[[1]]} → $.links[0]: expected an integer, found an array (line 1, column 20)
    {"id":"a","phones":[1]} → $.phones[0]: expected a string, found the number 1 (line 1, column 21)
    {"id":"a","phones":["1",{}]} → $.phones[1]: expected a string, found an object (line 1, column 25)
    {"id":"a","phones":["1",["2"]]} → $.phones[1]: expected a string, found an array (line 1, column 25)
    {"id":"a","weak":[1]} → $.weak[0]: expected an object or a string, found the number 1 (line 1, column 19)
    {"id":"a","weak":["x",{"key":1}]} → $.weak[1].id: expected a string, the primary key of Tag, found nothing (line 1, column 23)
    """#)

  // WAM-68, BUG-14
  @Test(arguments: TestSize.onStores(toMany, others: 2))
  func aToManyDecidesElementByElement(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // Q-19, BUG-27
  static let parts: [ErrorCase] = ErrorCase.table(
    .related,
    #"""
    {"id":"a","depot_id":"x"} → $.depot_id: expected an integer, found the string "x" (line 1, column 22)
    {"id":"a","depot_id":1.5} → $.depot_id: expected an integer, found the number 1.5 (line 1, column 22)
    {"id":"a","depot_id":1,"depot":{"city":5}} → $.depot.city: expected a string, found the number 5 (line 1, column 40)
    {"id":"a","depot_id":1,"depot":"x"} → $.depot: expected an object, found the string "x" (line 1, column 32)
    """#)

  @Test(arguments: TestSize.onStores(parts, others: 2))
  func aPartOfTheOwnerHasTheOwnersPath(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }
}
