#if Postgres
  import FastMapCore
  import FastMapPostgres
  import TestSupport

  /// Books that the tests of faults import: the n-th text changes every book, and links other ones.
  struct Library {
    let plan: Plan

    init() throws {
      let file = """
        {"fastmap": 1, "mappings": {
          "Book": {
            "primaryKey": "id", "attributes": {"id": "integer", "title": "string"},
            "relationships": {
              "similar": {"mapping": "Book", "toMany": true}, "notes": {"mapping": "Note", "toMany": true, "policy": "replace"}
            }
          },
          "Note": {"primaryKey": "id", "attributes": {"id": "integer", "text": "string"}}
        }}
        """
      plan = try MappingSet(file: Array(file.utf8)).plan(for: "Book")
    }

    /// - Parameter padding: Characters in each title.
    func text(_ number: Int, books: Int = 20, padding: Int = 0) -> [UInt8] {
      let tail = String(repeating: "x", count: padding)
      let objects = (0..<books).map { book in
        """
        {"id": \(book), "title": "\(number).\(book)\(tail)", "similar": [{"id": \((book + number) % books)}], \
        "notes": [{"id": \(number * 1000 + book), "text": "of \(number)"}]}
        """
      }
      return Array("[\(objects.joined(separator: ",\n"))]".utf8)
    }

    @discardableResult
    func load(_ number: Int, into store: some Store, books: Int = 20, padding: Int = 0) throws -> ImportReport
    {
      try Mapper(store).importJSON(text(number, books: books, padding: padding), as: plan)
    }

    /// Everything in a store, as JSON.
    func contents(of store: some Store) throws -> String { try store.exported(plan) }

    /// The contents of a store after texts were imported in order.
    func contents(after numbers: Int...) throws -> String {
      let store = try StoreKind.memory.make()
      return try contents(after: numbers, in: store)
    }

    private func contents(after numbers: [Int], in store: some Store) throws -> String {
      for number in numbers { try load(number, into: store) }
      return try contents(of: store)
    }
  }
#endif
