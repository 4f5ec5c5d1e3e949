/// Sees each batch of an import, and its root objects before the commit.
package protocol ImportObserver: AnyObject {
  /// Sees a batch that was walked.
  func observe(_ unit: ImportUnit)

  /// Checks the root objects before the commit. Its error rolls back.
  func check<R: StoreReader>(_ roots: [ObjectID], in reader: inout R) throws
}
