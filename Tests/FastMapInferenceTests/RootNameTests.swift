import FastMapInference
import Testing

@Suite struct RootNameTests {
  @Test(arguments: [
    ("orders.json", "Order"), ("/feeds/orders-2026-01.json.gz", "Order"), ("2026_01 orders.ndjson", "Order"),
    ("orders/01.json", "Order"), ("orders/2026-01.json", "Order"), ("order2.json", "Order2"),
    ("01.json", "Item"),
    ("2026/01.json", "Item"),
  ])
  func aRootIsNamedAfterItsFileWithoutNumbersOrElseAfterTheFolder(_ file: String, _ name: String) {
    #expect(Inference.root(ofFile: file) == name)
  }
}
