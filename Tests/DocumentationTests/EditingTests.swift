// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapLMDB
import TestSupport
import Testing

@Suite("EditingObjects.md")
struct EditingTests {
  typealias Book = ContextTests.Book

  @Test func aSaveWritesTheDifferences() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let store = try LMDBStore(at: "books.db")
        let json = #"""
          [{"id": 1, "title": "Dune", "price": 8, "author": {"id": 7, "name": "Frank"}, "reviews": [{"text": "long"}]}]
          """#
        _ = try Mapper(store).importJSON(json, as: Book.mapping)

        let context = try ObjectContext(store, for: Book.mapping)
        defer { context.end() }
        guard let dune = try context.object(Book.mapping, key: 1, including: \.author, \.reviews) else { return }
        dune.title = "Dune Messiah"
        dune.price = nil
        dune.author?.name = "Frank Herbert"
        dune.reviews.removeFirst()
        let report = try context.save()
        print(report["Book"]?.updated ?? 0, report["Author"]?.updated ?? 0, report["Review"]?.deleted ?? 0)     // 1 1 1
        #expect(Printed.takeLines() == ["1 1 1"])

        let heretics = Book()
        heretics.id = 5
        heretics.title = "Heretics of Dune"
        heretics.author = dune.author
        try context.insert(heretics, as: Book.mapping)
        try context.save()
        #expect(try store.read { try $0.object(Book.mapping, key: 5, including: \.author) }?.author?.name == "Frank Herbert")

        try context.delete(heretics)
        try context.save()
        #expect(try store.read { try $0.count(Book.mapping) } == 1)

        dune.title = "Oops"
        try context.rollBack()
        print(try context.hasChanges(), dune.title)     // false Dune Messiah
        #expect(Printed.takeLines() == ["false Dune Messiah"])

        dune.title = "mine"
        _ = try Mapper(store).importJSON(#"{"id": 1, "title": "theirs", "price": 9}"#, as: Book.mapping)
        do {
          try context.save()
        } catch let error as SaveConflictError {
          print(error)     // Book 1.title: read "Dune Messiah", mine "mine", theirs "theirs"
        }
        #expect(
          Printed.takeLines() == [#"Book 1.title: read "Dune Messiah", mine "mine", theirs "theirs""#])

        try context.save(onConflict: .fields(["Book.title": .theirs], otherwise: .mine))
        print(dune.title, dune.price ?? 0)     // theirs 9.0
        #expect(Printed.takeLines() == ["theirs 9.0"])

        dune.price = 7
        _ = try context.importJSON(#"{"id": 1, "title": "Dune", "price": 10}"#, as: Book.mapping)
        print(dune.title, dune.price ?? 0)                       // Dune 7.0
        let merged = try context.save(onConflict: .mine)
        for conflict in merged.conflicts { print(conflict) }     // Book 1.price: read 9.0, mine 7.0, theirs 10.0
        #expect(Printed.takeLines() == ["Dune 7.0", "Book 1.price: read 9.0, mine 7.0, theirs 10.0"])

        let draft = Book()
        draft.title = "Chapterhouse"
        try context.fill(draft, from: #"{"id": 6, "price": 11}"#, as: Book.mapping)
        try context.save()
        print(draft.id, draft.title)                             // 6 Chapterhouse
        #expect(Printed.takeLines() == ["6 Chapterhouse"])
        #expect(try store.read { try $0.object(Book.mapping, key: 6) }?.title == "Chapterhouse")
      }
    }
  }

  @Test func recordsAreSaved() async {
    await #expect(processExitsWith: .success) {
      try inEmptyDirectory {
        let (store, plan) = try ContextTests.storeOfRecords()

        let context = try ObjectContext(store, for: plan)
        defer { context.end() }
        guard let dune = try context.record("Book", key: 1, including: ["author", "reviews"]) else { return }
        dune["title"] = "Dune Messiah"
        dune["price"] = nil
        try dune.target("author")?["name"] = "Frank Herbert"
        try dune.set("reviews", to: dune.targets("reviews").dropLast())
        let heretics = try context.insert("Book", ["id": 5, "title": "Heretics of Dune"])
        try heretics.set("author", to: dune.target("author"))
        try context.save()
        let stored = try store.read(plan) { try $0.record("Book", key: 1) }
        #expect(stored?["title"] == "Dune Messiah")
        #expect(stored?["price"] == nil)
        #expect(stored?.targets("reviews") == [])
        #expect(try store.read(plan) { try $0.record("Author", key: 7) }?["name"] == "Frank Herbert")
        #expect(try store.read(plan) { try $0.record("Book", key: 5) }?.target("author") != nil)

        dune["price"] = "8"
        do {
          try context.save()
        } catch let error as ContextError {
          print(error)     // Book 1.price: expected a number, found the string "8"
        }
        try context.rollBack()
        #expect(Printed.takeLines() == [#"Book 1.price: expected a number, found the string "8""#])
        #expect(try !context.hasChanges())

        let draft = try context.insert("Book", ["title": "Chapterhouse"])
        try context.fill(draft, from: #"{"id": 6, "price": 11}"#, as: plan)
        #expect(draft.key == 6)
        #expect(draft["title"] == "Chapterhouse")
        #expect(draft["price"] == 11.0)
      }
    }
  }
}
