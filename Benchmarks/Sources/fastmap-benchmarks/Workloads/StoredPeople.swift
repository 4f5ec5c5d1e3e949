import FastMapCore
import FastMapLMDB

/// Ten fields of a person, as an app has them.
struct Person: Codable, Identifiable {
  var id: Int
  var name: String
  var email: String?
  var city: String
  var age: Int
  var score: Double
  var isActive: Bool
  var note: String?
  var phone: String?
  var visits: Int
}

/// People in an LMDB store of FastMap, and in SQLite.
struct StoredPeople {
  let people: [Person]
  let fastMap: String
  let sqlite: String

  static let mapping = Mapping(Person.self)

  init(count: Int, _ folder: Folder) throws {
    var numbers = SeededNumbers(seed: 5)
    people = (1...max(count, 1)).map { id in
      Person(
        id: id, name: "Name of person \(id)", email: id % 3 == 0 ? nil : "person.\(id)@example.org",
        city: "City \(numbers.next(below: 500))", age: numbers.next(below: 90),
        score: Double(numbers.next(below: 1_000_000)) / 1000, isActive: numbers.isHit(0.5),
        note: numbers.isHit(0.2) ? "A note of some length about person \(id), who has one." : nil,
        phone: numbers.isHit(0.7) ? "+49 30 \(numbers.next(below: 10_000_000))" : nil,
        visits: numbers.next(below: 1000))
    }
    fastMap = try folder.newPath("people-fastmap")
    sqlite = try folder.newDirectory("people-sqlite") + "/people.sqlite"
    try LMDBStore(at: fastMap).upsert(people, as: Self.mapping)
    let database = try SQLiteDatabase(at: sqlite)
    try database.configure()
    try database.execute(
      """
      CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, city TEXT NOT NULL,
        age INTEGER NOT NULL, score REAL NOT NULL, isActive INTEGER NOT NULL, note TEXT, phone TEXT, visits INTEGER NOT NULL)
      """)
    let insert = try database.prepare("INSERT INTO person VALUES (?,?,?,?,?,?,?,?,?,?)")
    try database.execute("BEGIN IMMEDIATE")
    for person in people {
      insert.bind(Int64(person.id), at: 1)
      insert.bind(person.name, at: 2)
      insert.bind(optional: person.email, at: 3)
      insert.bind(person.city, at: 4)
      insert.bind(Int64(person.age), at: 5)
      insert.bind(person.score, at: 6)
      insert.bind(Int64(person.isActive ? 1 : 0), at: 7)
      insert.bind(optional: person.note, at: 8)
      insert.bind(optional: person.phone, at: 9)
      insert.bind(Int64(person.visits), at: 10)
      try insert.run()
    }
    try database.execute("COMMIT")
  }

  /// A number that depends on the fields of all people.
  static func sum(_ people: [Person]) -> Int {
    people.reduce(0) {
      $0 + $1.id + $1.name.utf8.count + ($1.email?.utf8.count ?? 0) + ($1.note?.utf8.count ?? 0) + $1.visits
    }
  }
}
