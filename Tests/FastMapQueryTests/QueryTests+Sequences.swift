import FastMapCore
import TestSupport
import Testing

/// Queries as asynchronous sequences.
extension QueryTests {
  /// Also with an order, and objects without a key.
  @Test(arguments: StoreKind.allCases)
  func anAsynchronousSequenceReadsPages(_ kind: StoreKind) async throws {
    let mapping = Mapping("Note", primaryKey: "id", missingPrimaryKey: .insert) {
      Attribute("id", .integer)
      Attribute("n", .integer)
    }
    let world = try World(kind, mapping)
    try world.load(
      "["
        + (0..<25).map { #"{"id": \#($0 < 20 ? "\($0)" : "null"), "n": \#($0 * 7 % 25)}"# }.joined(
          separator: ",") + "]")
    let plan = try mapping.plan()
    let n = FilterPath([FilterStep(.name("n"))])
    let queries = [
      Query(plan), Query(plan).where(try Filter("@.n >= 3")), Query(plan).limit(7), Query(plan).limit(0),
      Query(plan).sorted(by: n, descending: true),
      Query(plan).sorted(by: n, descending: false).after(3).limit(9),
      Query(plan).after(17),
    ]
    for query in queries {
      let expected = try world.store.read(plan) { try $0.records(query).map { $0["n"] } }
      for pageSize in [1, 4, 100] {
        try await #expect(numbers(world.store, query, pageSize) == expected)
      }
    }
  }

  private func numbers(_ store: some Store, _ query: Query<Plan>, _ pageSize: Int) async throws -> [Value?] {
    var numbers: [Value?] = []
    for try await record in try store.records(of: query, pageSize: pageSize) { numbers.append(record["n"]) }
    return numbers
  }

  @Test(arguments: StoreKind.allCases)
  func instancesOfAQueryComeAsAnAsynchronousSequence(_ kind: StoreKind) async throws {
    let world = try world(kind)
    let all = Query(Book.mapping)
    let queries = [
      all, all.where(try Filter("@.author.name == 'Frank'")), all.sorted(by: "price", descending: true),
      all.sorted(by: "title").limit(3), all.after(2),
    ]
    for query in queries {
      let expected = try world.store.read { try $0.objects(query).map(\.id) }
      for pageSize in [0, 1, 3, 100] {
        try await #expect(ids(world.store, query, pageSize) == expected)
      }
    }
    try await #expect(names(world.store, all, depth: .max) == ["Frank 1 2", "Jane ", "-", "Frank 1 2"])
    try await #expect(names(world.store, all, depth: 0) == ["-", "-", "-", "-"])
    try await #expect(names(world.store, all, depth: 1) == ["Frank ", "Jane ", "-", "Frank "])
  }

  private func ids(
    _ store: some Store, _ query: Query<Mapping<Book>>, _ pageSize: Int,
    after: (Int) throws -> Void = { _ in }
  ) async throws -> [Int] {
    var ids: [Int] = []
    for try await book in try store.objects(of: query, pageSize: pageSize) {
      try after(book.id)
      ids.append(book.id)
    }
    return ids
  }

  private func names(
    _ store: some Store, _ query: Query<Mapping<Book>>, depth: Int
  ) async throws -> [String] {
    var names: [String] = []
    for try await book in try store.objects(of: query, depth: depth) {
      let books = book.author?.books.map { "\($0.id)" }.joined(separator: " ")
      names.append(book.author.map { "\($0.name) \(books ?? "")" } ?? "-")
    }
    return names
  }

  @Test(arguments: StoreKind.allCases)
  func writesBetweenTwoPagesShowAndACancelledTaskEndsTheSequence(_ kind: StoreKind) async throws {
    let world = try world(kind)
    let ids = try await ids(world.store, Query(Book.mapping), 2) { id in
      if id == 2 { try world.load(#"{"id": 9, "title": "New"}"#) }
    }
    #expect(ids == [1, 2, 3, 4, 9])
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await self.ids(world.store, Query(Book.mapping), 2)
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
