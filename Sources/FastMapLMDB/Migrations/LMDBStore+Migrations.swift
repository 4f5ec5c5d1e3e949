internal import FastMapStoreKit

extension LMDBStore {
  /// Applies the migrations that the store does not have yet, all or none.
  func make(_ changes: [Migration]) throws(LMDBError) {
    if changes.isEmpty { return }
    do {
      let made = try environment.read { try StoreLayout.changes($0.view, tables) }
      guard let first = Migration.pending(of: changes, after: made).first else { return }
      guard !isReadOnly else {
        let detail = "the store is open for reading only; open it once for writing"
        throw environment.error(.migration(change: first.description, detail: detail))
      }
      try environment.write { transaction in
        let writing = WriteView(view: transaction.view)
        let made = try StoreLayout.changes(transaction.view, tables)
        let pending = Migration.pending(of: changes, after: made)
        if pending.isEmpty { return }  // another process was faster
        var changer = Migrator(
          writing: writing, tables: tables, lists: lists,
          layout: try StoreLayout(transaction.view, tables, isWriting: true))
        for (index, change) in pending.enumerated() {
          do { try changer.make(change, before: pending[(index + 1)...]) } catch let error
            as Migrator.Refusal
          {
            throw environment.error(.migration(change: change.description, detail: error.detail))
          }
        }
        try changer.rebuildIndexes()
        try changer.layout.write(writing, tables, changes: made + pending.map(\.mark))
      }
    } catch let error as LMDBError {
      throw error
    } catch {
      throw environment.error(.migration(change: "change the layout", detail: "\(error)"))
    }
  }
}
