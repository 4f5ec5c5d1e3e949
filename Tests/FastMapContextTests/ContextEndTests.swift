import FastMapCore
import FastMapStoreTesting
import TestSupport
import Testing

@testable import FastMapContexts

/// The end of a context leaves the instances that the caller holds, and no other.
@Suite(.serialized) struct ContextEndTests {
  typealias Node = Library.Node

  static let stores: [StoreKind] = StoreKind.allCases

  private static func load(_ kind: StoreKind, _ nodes: [String]) throws -> any Store {
    let store = try kind.make()
    _ = try Mapper(store).importJSON("[\(nodes.joined(separator: ","))]", as: Node.mapping)
    return store
  }

  private static func ring(_ count: Int) -> [String] {
    (0..<count).map { #"{"id":\#($0),"next":\#(($0 + 1) % count)}"# }
  }

  @Test(arguments: stores)
  func mutualFriendsReadManyTimesLeaveNone(_ kind: StoreKind) throws {
    let store = try Self.load(
      kind, [#"{"id":1,"friends":[2],"next":2}"#, #"{"id":2,"friends":[1,2],"next":1}"#])
    let before = Node.liveCount
    for round in 0..<TestSize.rounds(small: 50, whole: 1000) {
      if round % 2 == 0 {
        try store.withContext(for: Node.mapping) { context in
          let node = try #require(
            try context.object(Node.mapping, key: 1, including: \.friends.friends, \.referrers))
          #expect(node.friends?[0].friends?[0] === node)
          #expect(node.referrers[0] === node.friends?[0])
          #expect(Node.liveCount == before + 2)
        }
      } else {
        // Without an end of its own.
        let context = try ObjectContext(store, for: Node.mapping)
        #expect(try context.objects(Node.mapping, including: \.friends, \.next).count == 2)
      }
    }
    #expect(Node.liveCount == before)
  }

  @Test(arguments: stores)
  func aReadOfOneLevelOfARingReadsTwo(_ kind: StoreKind) throws {
    let count = TestSize.count(kind, small: 1000, others: 100, whole: 10_000)
    let store = try Self.load(kind, Self.ring(count))
    let before = Node.liveCount
    try store.withContext(for: Node.mapping) { context in
      let last = try #require(try context.object(Node.mapping, key: count - 1, including: \.next))
      #expect(last.next?.id == 0)
      #expect(last.next?.next == nil)
      #expect(Node.liveCount == before + 2)
      try context.load(\.next.next.next, of: [last])
      #expect(last.next?.next?.next?.id == 2)
      #expect(Node.liveCount == before + 4)
    }
    #expect(Node.liveCount == before)
  }

  @Test(arguments: stores)
  func aWholeRingIsReleasedWithoutRecursion(_ kind: StoreKind) throws {
    // Calls inside of each other would take more than 100 bytes each, so half a megabyte is not enough for them.
    let count = TestSize.count(kind, small: 4000, others: 100, whole: 20_000)
    let store = try Self.load(kind, Self.ring(count))
    let before = Node.liveCount
    try onSmallStack {
      try store.withContext(for: Node.mapping) { context in
        let all = try context.objects(Node.mapping, including: \.next, \.referrers)
        #expect(all.count == count)
        #expect(all[5].next === all[6])
        #expect(all[5].referrers.map(\.id) == [4])
      }
    }
    #expect(Node.liveCount == before)
  }

  @Test(arguments: stores)
  func anInstanceThatIsHeldKeepsItsValuesAndHasNoRelationships(_ kind: StoreKind) throws {
    let store = try Self.load(kind, [#"{"id":1,"friends":[2],"parent":2}"#, #"{"id":2,"friends":[1]}"#])
    let before = Node.liveCount
    do {
      let held = try store.withContext(for: Node.mapping) { context in
        try #require(try context.object(Node.mapping, key: 1, including: \.friends.friends, \.parent))
      }
      #expect(held.id == 1)
      #expect(held.friends == nil)
      #expect(held.parent == nil)
      #expect(Node.liveCount == before + 1)
    }
    #expect(Node.liveCount == before)
  }

  /// How a save or an import goes on whose context ends meanwhile.
  enum Use: CaseIterable { case save, saveInConflict, importing, importOfAFault }

  @Test(arguments: stores, Use.allCases)
  @MainActor func anEndWhileTheContextWaitsLeavesNone(_ kind: StoreKind, _ use: Use) async throws {
    let store = try Self.load(kind, Self.ring(4))
    let plan = try Node.mapping.plan()
    let before = Node.liveCount
    do {
      let context = try ObjectContext(store, for: Node.mapping)
      let node = try #require(try context.object(Node.mapping, key: 1, including: \.next.next, \.referrers))
      let new = Node()
      (new.id, new.next, new.parent) = (9, node, new)
      node.parent = new
      if use == .saveInConflict { _ = try await Mapper(store).importJSON(#"{"id":1,"parent":3}"#, as: plan) }
      // It runs while the other one waits.
      let ending = Task { @MainActor in context.end() }
      switch use {
      case .save: try await context.save()
      case .saveInConflict: await #expect(throws: SaveConflictError.self) { try await context.save() }
      case .importing: _ = try await context.importJSON(#"{"id":1,"next":3}"#, as: Node.mapping)
      case .importOfAFault:
        await #expect(throws: MappingError.self) {
          try await context.importJSON(#"{"id":"x"}"#, as: Node.mapping)
        }
      }
      await ending.value
      #expect(throws: ContextError.hasEnded) { try context.hasChanges() }
      #expect(node.next == nil && node.parent == nil && node.referrers.isEmpty)
      if use == .save {
        #expect(new.next == nil && new.parent == nil, "it is stored")
      } else {
        #expect(new.next === node && new.parent === new, "it is the caller's")
        (new.next, new.parent) = (nil, nil)
      }
    }
    // The thread may hold them a moment longer than the call.
    let end = ContinuousClock.now.advanced(by: .seconds(20))
    while Node.liveCount != before, ContinuousClock.now < end { await Task.yield() }
    #expect(Node.liveCount == before)
    #expect(try await store.read(plan) { try $0.count(of: "Node") } == (use == .save ? 5 : 4))
  }

  @Test(arguments: stores)
  func aContextThatFailsLeavesNone(_ kind: StoreKind) throws {
    struct Stop: Error {}
    let store = try Self.load(kind, Self.ring(10))
    let before = Node.liveCount
    #expect(throws: Stop.self) {
      try store.withContext(for: Node.mapping) { context in
        #expect(try context.objects(Node.mapping, including: \.next).count == 10)
        throw Stop()
      }
    }
    #expect(Node.liveCount == before)
  }

  /// The caller made it, so another context may have it.
  @Test(arguments: stores, [true, false])
  func anInstanceOfTheCallerThatIsNotStoredStaysAsItIs(_ kind: StoreKind, wasSaved: Bool) throws {
    typealias Book = Library.Book
    let world = try World(kind, Book.mapping, holding: #"{"id":50}"#)
    var first: ObjectContext? = try ObjectContext(world.store, for: Book.mapping)
    let second = try ObjectContext(world.store, for: Book.mapping)
    let (book, editor, note) = (Book(), Library.Author(), Library.Note())
    (book.id, editor.id, note.text) = (wasSaved ? 51 : 50, 60, "mine")
    (book.editors, book.notes) = ([editor], [note])
    try first?.insert(book, as: Book.mapping)
    if wasSaved {
      try first?.save()
      try first?.delete(book)
      try first?.delete(editor)
      try first?.save()
    } else {
      #expect(throws: ContextError.keyTaken(entity: "Book", place: nil, key: 50)) { try first?.save() }
      book.id = 51
    }
    try second.insert(book, as: Book.mapping)
    try second.save()
    first = nil
    #expect(try !second.hasChanges())
    book.title = "mine"
    #expect(try summary(second.save()) == "Book ~1")
    #expect(try world.dump(of: "Book 51")?.contains("editors=[60] notes=") == true)
    second.end()
    #expect(book.editors.isEmpty && book.notes.isEmpty)
  }
}
