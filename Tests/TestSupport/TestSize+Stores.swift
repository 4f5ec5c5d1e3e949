package import FastMapStoreTesting

extension TestSize {
  /// Cases of a table on each store: all of them on every store, or if small all on the first store, and a few on each of the others.
  ///
  /// For features that do not differ by store.
  package static func onStores<Case>(_ cases: [Case], small: Int) -> [(StoreKind, Case)] {
    StoreKind.allCases.enumerated().flatMap { place, kind in
      (place == 0 ? cases : self.cases(cases, small: small)).map { (kind, $0) }
    }
  }
}
