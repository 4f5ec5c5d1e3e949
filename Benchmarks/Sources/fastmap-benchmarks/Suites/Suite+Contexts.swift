extension Suite {
  /// Instances with their related objects, and saves of one field, among many objects.
  static var contexts: [Suite] {
    [
      Suite(
        "context-get", "random keys, an instance with two relationships each", base: "sqlite-books",
        size: Size(1_000_000, smoke: 1000),
        [
          Candidate("fastmap-contexts", "FastMap: a context for each") { stored, _ in
            FastMapContexts(stored: stored)
          },
          Candidate("fastmap-context-of-many", "FastMap: one context for all") { stored, _ in
            FastMapContextOfMany(stored: stored)
          },
          Candidate("sqlite-books", "SQLite by hand: a transaction for each") { stored, _ in
            SQLiteBooks(stored: stored)
          },
          Candidate("sqlite-books-of-many", "SQLite by hand: one transaction for all") { stored, _ in
            SQLiteBooks(stored: stored, isOneTransaction: true)
          },
        ],
        counts: { ($0.keys.count, $0.library.bookCount, 0) }
      ) { size, _ in try StoredLibrary.of(size) },
      Suite(
        "context-save", "books, one field of each set and saved durably", base: "sqlite-field-updates",
        size: Size(1_000_000, smoke: 1000),
        [
          Candidate("fastmap-saves", "FastMap: a context and a save for each") { stored, _ in
            FastMapSaves(stored: stored, count: saveCount)
          },
          Candidate("fastmap-field-imports", "FastMap: an import for each") { stored, _ in
            FastMapFieldImports(stored: stored, count: saveCount)
          },
          Candidate("sqlite-field-updates", "SQLite: a prepared update for each") { stored, _ in
            SQLiteFieldUpdates(stored: stored, count: saveCount)
          },
        ],
        counts: { (saveCount, $0.library.bookCount, 0) }
      ) { size, _ in try StoredLibrary.of(size) },
    ]
  }

  private static let saveCount = 200
}
