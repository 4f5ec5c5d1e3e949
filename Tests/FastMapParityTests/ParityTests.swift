import FastMapStoreTesting
import TestSupport
import Testing

/// The operations of every row of the table, on every store.
protocol ParityRow: Sendable {
  var name: String { get }
  func imports(_ kind: StoreKind) throws
  func takesDefaults(_ kind: StoreKind) throws
  func reads(_ kind: StoreKind) throws
  func queries(_ kind: StoreKind, isIndexed: Bool) throws
  func sorts(_ kind: StoreKind, isIndexed: Bool) throws
  func deletes(_ kind: StoreKind) throws
  func keepsUnique(_ kind: StoreKind) throws
  func edits(_ kind: StoreKind) throws
  func refreshes(_ kind: StoreKind) throws
  func fills(_ kind: StoreKind) throws
  func refusesToShow(_ kind: StoreKind) throws
  /// Reads and fills instances without a store.
  func makesInstances() throws
}

struct AnyRow: Sendable, CustomTestStringConvertible {
  let row: any ParityRow

  init(_ row: any ParityRow) { self.row = row }

  var testDescription: String { row.name }
}

/// One meaning: a property shape gives the same answers on every store. The table has the answers, or the test computes
/// them from plain values.
@Suite struct ParityTests {
  private static let cases = TestSize.onStores(Rows.all, others: 6)

  // FEM-11, FEM-12, FEM-16, FEM-19, FEM-32, FEM-44, FEM-46…FEM-60, FEM-64, FEM-65, FEM-67, FEM-179, FEM-196, WAM-136, BUG-24, Q-26, Q-34
  @Test(arguments: cases)
  func importsStoreTheValuesOfThePayload(_ kind: StoreKind, _ row: AnyRow) throws {
    try row.row.imports(kind)
  }

  // FEM-17, FEM-19, FEM-67, BUG-19, BUG-20, Q-05: null leaves a property alone that is not optional
  @Test(arguments: cases)
  func defaultsAreStoredAndShown(_ kind: StoreKind, _ row: AnyRow) throws { try row.row.takesDefaults(kind) }

  @Test(arguments: cases)
  func readsShowStoredValues(_ kind: StoreKind, _ row: AnyRow) throws { try row.row.reads(kind) }

  @Test(arguments: cases)
  func filtersCompareShownValues(_ kind: StoreKind, _ row: AnyRow) throws {
    for isIndexed in [false, true] { try row.row.queries(kind, isIndexed: isIndexed) }
  }

  @Test(arguments: cases)
  func ordersFollowShownValues(_ kind: StoreKind, _ row: AnyRow) throws {
    for isIndexed in [false, true] { try row.row.sorts(kind, isIndexed: isIndexed) }
  }

  @Test(arguments: cases)
  func deletionsByAFilterDeleteItsMatches(_ kind: StoreKind, _ row: AnyRow) throws {
    try row.row.deletes(kind)
  }

  @Test(arguments: cases)
  func uniqueIndexesCompareStoredValues(_ kind: StoreKind, _ row: AnyRow) throws {
    try row.row.keepsUnique(kind)
  }

  @Test(arguments: cases)
  func savesStoreEdits(_ kind: StoreKind, _ row: AnyRow) throws { try row.row.edits(kind) }

  @Test(arguments: cases)
  func contextsShowOthersChanges(_ kind: StoreKind, _ row: AnyRow) throws { try row.row.refreshes(kind) }

  @Test(arguments: cases)
  func contextsTakePayloads(_ kind: StoreKind, _ row: AnyRow) throws { try row.row.fills(kind) }

  @Test(arguments: cases)
  func aValueThatAPropertyCannotHoldIsAnErrorOfTheRead(_ kind: StoreKind, _ row: AnyRow) throws {
    try row.row.refusesToShow(kind)
  }

  @Test(arguments: Rows.all)
  func instancesWithoutAStoreEqualAStores(_ row: AnyRow) throws { try row.row.makesInstances() }
}
