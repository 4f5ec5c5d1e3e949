import FastMapCore
import FastMapLMDB

/// FastMap: each of some books is read in a context, one field is set and saved.
struct FastMapSaves: Subject {
  let stored: StoredLibrary
  let count: Int

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    let value = stored.nextValue()
    return {
      for key in stored.keys.prefix(count) {
        try store.withContext(for: LibraryBook.mapping) { context in
          guard let book = try context.object(LibraryBook.mapping, key: key) else {
            throw WrongOutcome(description: "expected book \(key)")
          }
          book.pages = value
          try context.save()
        }
      }
      return count
    }
  }
}

/// FastMap: the same fields as imports of one object each.
struct FastMapFieldImports: Subject {
  let stored: StoredLibrary
  let count: Int

  func prepare() throws -> () throws -> Int {
    let store = try LMDBStore(at: stored.fastMap)
    let value = stored.nextValue()
    return {
      let mapper = Mapper(store)
      for key in stored.keys.prefix(count) {
        let report = try mapper.importJSON(
          Array(#"{"id":\#(key),"pages":\#(value)}"#.utf8), as: LibraryBook.mapping)
        try WrongOutcome.check(report.attempts == 1, "one attempt")
      }
      return count
    }
  }
}

/// SQLite: a prepared update of one column, in a durable transaction for each.
struct SQLiteFieldUpdates: Subject {
  let stored: StoredLibrary
  let count: Int

  func prepare() throws -> () throws -> Int {
    let sqlite = try stored.database()
    let update = try sqlite.prepare("UPDATE book SET pages = ? WHERE id = ?")
    let value = Int64(stored.nextValue())
    return {
      for key in stored.keys.prefix(count) {
        update.bind(value, at: 1)
        update.bind(Int64(key), at: 2)
        try update.run()
      }
      return count
    }
  }
}
