/// How many objects a page of ``StoreReader/forEachPage(of:keys:isDescending:pageSize:_:)`` has.
package enum PageSize {
  /// For numbers and keys that are collected.
  package static let ofNumbers = 4096

  package static func ofObjects<R: StoreReader>(in reader: borrowing R) -> Int {
    reader.prefersSets ? 4096 : 64
  }
}
