import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

/// Primary keys that are missing, null, or no keys.
@Suite struct ErrorKeyTests {
  // Q-20, BUG-28, BUG-40
  static let keys: [ErrorCase] =
    ErrorCase.table(
      .root,
      #"""
      [{}] → $[0].id: expected an integer, the primary key of Root, found nothing (line 1, column 2)
      [{"s":"x"}] → $[0].id: expected an integer, the primary key of Root, found nothing (line 1, column 2)
      [{"id":null}] → $[0].id: expected an integer, the primary key of Root, found null (line 1, column 8)
      [{"id":"7"}] → $[0].id: expected an integer, found the string "7" (line 1, column 8)
      [{"id":true}] → $[0].id: expected an integer, found true (line 1, column 8)
      [{"id":1.0}] → $[0].id: expected an integer, found the number 1.0 (line 1, column 8)
      [{"id":[]}] → $[0].id: expected an integer, found an array (line 1, column 8)
      [{"id":9223372036854775808}] → $[0].id: expected an integer from -9223372036854775808 to 9223372036854775807, found the number 9223372036854775808 (line 1, column 8)
      {} → $.id: expected an integer, the primary key of Root, found nothing (line 1, column 1)
      {"id":null} → $.id: expected an integer, the primary key of Root, found null (line 1, column 7)
      {"s":0} → $.s: expected a string, found the number 0 (line 1, column 6)
      """#)
    + ErrorCase.table(
      .related,
      #"""
      {"id":"a","customer":{}} → $.customer.id: expected an integer, the primary key of Customer, found nothing (line 1, column 22)
      {"id":"a","customer":{"id":null}} → $.customer.id: expected an integer, the primary key of Customer, found null (line 1, column 28)
      {"id":"a","lines":[{"product":{}}]} → $.lines[0].product.meta.sku: expected a string, the primary key of Product, found nothing (line 1, column 31)
      {"id":"a","lines":[{"product":{"meta":null}}]} → $.lines[0].product.meta.sku: expected a string, the primary key of Product, found null (line 1, column 39)
      {"id":"a","lines":[{"product":{"meta":{"sku":null}}}]} → $.lines[0].product.meta.sku: expected a string, the primary key of Product, found null (line 1, column 46)
      """#)
    + ErrorCase.table(
      .wrapped,
      #"""
      [{}] → $[0].meta.id: expected a string, the primary key of Wrapped, found nothing (line 1, column 2)
      [{"meta":{}}] → $[0].meta.id: expected a string, the primary key of Wrapped, found nothing (line 1, column 10)
      [{"meta":null}] → $[0].meta.id: expected a string, the primary key of Wrapped, found null (line 1, column 10)
      [{"meta":{"id":null}}] → $[0].meta.id: expected a string, the primary key of Wrapped, found null (line 1, column 16)
      [{"meta":{"id":5}}] → $[0].meta.id: expected a string, found the number 5 (line 1, column 16)
      [{"meta":5}] → $[0].meta: expected an object, found the number 5 (line 1, column 10)
      ["x"] → $[0]: expected an object, found the string "x" (line 1, column 2)
      [[]] → $[0]: expected an object, found an array (line 1, column 2)
      """#)
    + ErrorCase.table(
      .unsignedKey,
      #"""
      [{"id":9223372036854775808}] → $[0].id: expected an integer from 0 to 9223372036854775807, found the number 9223372036854775808 (line 1, column 8)
      [{"id":18446744073709551616}] → $[0].id: expected an integer from 0 to 9223372036854775807, found the number 18446744073709551616 (line 1, column 8)
      [{"id":-1}] → $[0].id: expected an integer from 0 to 9223372036854775807, found the number -1 (line 1, column 8)
      [{"id":null}] → $[0].id: expected an integer, the primary key of UnsignedKey, found null (line 1, column 8)
      [{}] → $[0].id: expected an integer, the primary key of UnsignedKey, found nothing (line 1, column 2)
      [{"id":1,"part":{"id":9223372036854775808}}] → $[0].part.id: expected an integer from 0 to 9223372036854775807, found the number 9223372036854775808 (line 1, column 23)
      [9223372036854775808] → $[0]: expected an object, found the number 9223372036854775808 (line 1, column 2)
      """#)
    + ErrorCase.table(
      .smallKey,
      #"""
      [{"id":null}] → $[0].id: expected an integer, the primary key of SmallKey, found null (line 1, column 8)
      [{}] → $[0].id: expected an integer, the primary key of SmallKey, found nothing (line 1, column 2)
      [{"id":128}] → $[0].id: expected an integer from -128 to 127, found the number 128 (line 1, column 8)
      [300] → $[0]: expected an object, found the number 300 (line 1, column 2)
      [{"id":1,"part":{"id":null}}] → $[0].part.id: expected an integer, the primary key of SmallKey, found null (line 1, column 23)
      [{"id":1,"part":-129}] → $[0].part: expected an object or an integer from -128 to 127, found the number -129 (line 1, column 17)
      [{"id":1,"part":[]}] → $[0].part: expected one object or one integer, found an array (line 1, column 17)
      """#)

  // FEM-140, WAM-41
  @Test(arguments: TestSize.onStores(keys, others: 2))
  func aKeyThatIsNotThereIsNamed(_ kind: StoreKind, _ test: ErrorCase) throws {
    try test.check(kind)
  }

  // BUG-49: a fault that only a store can see is an error of the data like any other
  static let longKeys: [ErrorCase] =
    ErrorCase.table(.types, #"{"id":"\#(long)"} → $.id: \#(refusal) (line 1, column 7)"#)
    + ErrorCase.table(
      .related,
      #"""
      {"id":"a","tags":["x",{"id":"\#(long)"}]} → $.tags[1].id: \#(refusal) (line 1, column 29)
      {"id":"a","tags":["x","\#(long)"]} → $.tags[1]: \#(refusal) (line 1, column 23)
      """#)
    + ErrorCase.table(
      .tree,
      #"{"id":"a","a":{"id":"b","b":[{"id":"c","a":"\#(long)"}]}} → $.a.b[0].a: \#(refusal) (line 1, column 44)"#
    )
    + ErrorCase.table(
      .wrapped, #"[{"meta":{"id":"\#(long)"}}] → $[0].meta.id: \#(refusal) (line 1, column 16)"#)

  @Test(arguments: longKeys)
  func aKeyThatIsTooLongForTheStoreHasItsPath(_ test: ErrorCase) throws {
    try test.check(.lmdb)
  }

  private static let long = String(repeating: "k", count: 600)
  private static let refusal = "expected a key of at most 508 bytes, found one of 600 bytes"

  // Q-19, BUG-27: a key that its property cannot hold as null is null all the same
  @Test(arguments: StoreKind.allCases)
  func aNullKeyOfAPartClearsTheRelationshipAndAMissingOneDoesNot(_ kind: StoreKind) throws {
    let world = try World(kind, SmallKey.mapping, holding: #"{"id":1,"whole_id":5}"#)
    try #expect(world.dump() == "SmallKey 1 whole=5\nWhole 5")
    try #expect(world.load(#"{"id":1}"#) == "SmallKey =1")
    try #expect(world.load(#"{"id":1,"whole_id":null}"#) == "SmallKey ~1")
    try #expect(world.dump() == "SmallKey 1\nWhole 5")
  }
}
