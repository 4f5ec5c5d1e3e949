package import FastMapStoreTesting

extension TestSize {
  /// Each store with each case, for a feature that does not differ by store. The small size has some of the cases, fewer of them on
  /// all stores but one.
  ///
  /// - Parameters:
  ///   - small: The cases of the small size on the store `kind`, or on the first one if that cannot be had. Nil is all.
  ///   - others: Those on each other store.
  package static func onStores<Case>(
    _ all: [Case], small: Int? = nil, on kind: StoreKind = .lmdb, others: Int,
    stores: [StoreKind] = StoreKind.allCases
  ) -> [(StoreKind, Case)] {
    let first = stores.contains(kind) ? kind : stores.first
    return stores.flatMap { store in
      cases(all, small: store == first ? small ?? all.count : others).map { (store, $0) }
    }
  }

  /// The small number on the store `kind`, and `others` on each other store; the whole number on all.
  package static func count(
    _ store: StoreKind, small: Int, on kind: StoreKind = .lmdb, others: Int, whole: Int
  ) -> Int {
    count(small: store == kind ? small : others, whole: whole)
  }
}
