import Foundation

/// The usual solution for the posts without FastMap: `JSONDecoder` into structs, and prepared upserts, one
/// transaction per page. A stub must not clear known values, so a missing member keeps its old value.
struct TwitterSQLite: Subject {
  let pages: [Data]
  let folder: Folder

  init(_ replay: Replay, _ folder: Folder) {
    pages = replay.pages.map { Data($0) }
    self.folder = folder
  }

  private struct User: Decodable {
    let id: Int64
    let name: String?
    let screenName: String?
    let location: String?
    let description: String?
    let followers: Int64?
    let friends: Int64?
    let statuses: Int64?
    let verified: Bool?
    let createdAt: String?

    enum CodingKeys: String, CodingKey {
      case id, name, location, description, verified
      case screenName = "screen_name"
      case followers = "followers_count"
      case friends = "friends_count"
      case statuses = "statuses_count"
      case createdAt = "created_at"
    }
  }

  private struct Entities: Decodable {
    let mentions: [User]

    enum CodingKeys: String, CodingKey { case mentions = "user_mentions" }
  }

  /// A class, because a post can contain another one.
  private final class Status: Decodable {
    let id: Int64
    let text: String
    let source: String
    let lang: String
    let createdAt: String
    let truncated: Bool
    let replyTo: Int64?
    let retweets: Int64
    let favorites: Int64
    let user: User
    let retweeted: Status?
    let entities: Entities

    enum CodingKeys: String, CodingKey {
      case id, text, source, lang, truncated, user, entities
      case createdAt = "created_at"
      case replyTo = "in_reply_to_status_id"
      case retweets = "retweet_count"
      case favorites = "favorite_count"
      case retweeted = "retweeted_status"
    }
  }

  private static let schema = [
    """
    CREATE TABLE user (id INTEGER PRIMARY KEY, name TEXT, screen_name TEXT, location TEXT, description TEXT,
      followers INTEGER, friends INTEGER, statuses INTEGER, verified INTEGER, created_at TEXT)
    """,
    """
    CREATE TABLE status (id INTEGER PRIMARY KEY, text TEXT, source TEXT, lang TEXT, created_at TEXT,
      truncated INTEGER, reply_to INTEGER, retweets INTEGER, favorites INTEGER, user INTEGER, retweeted INTEGER)
    """,
    """
    CREATE TABLE mention (status INTEGER, position INTEGER, user INTEGER, PRIMARY KEY (status, position))
      WITHOUT ROWID
    """,
  ]

  func prepare() throws -> () throws -> Int {
    let database = try SQLiteDatabase(at: folder.newDirectory("twitter-sqlite") + "/posts.sqlite")
    try database.configure()
    for sql in Self.schema { try database.execute(sql) }
    return {
      let writer = try Writer(database)
      var count = 0
      for page in pages {
        let statuses = try JSONDecoder().decode([Status].self, from: page)
        try database.execute("BEGIN IMMEDIATE")
        for status in statuses { try writer.write(status) }
        try database.execute("COMMIT")
        count += statuses.count
      }
      return count
    }
  }

  private struct Writer {
    private let user: SQLiteStatement
    private let status: SQLiteStatement
    private let mention: SQLiteStatement
    private let unmention: SQLiteStatement

    init(_ database: SQLiteDatabase) throws {
      let names = [
        "name", "screen_name", "location", "description", "followers", "friends", "statuses", "verified",
        "created_at",
      ]
      user = try database.prepare(
        "INSERT INTO user VALUES (?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET "
          + names.map { "\($0) = coalesce(excluded.\($0), \($0))" }.joined(separator: ", "))
      let columns = [
        "text", "source", "lang", "created_at", "truncated", "reply_to", "retweets", "favorites", "user",
        "retweeted",
      ]
      status = try database.prepare(
        "INSERT INTO status VALUES (?,?,?,?,?,?,?,?,?,?,?) ON CONFLICT (id) DO UPDATE SET "
          + columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
      mention = try database.prepare("INSERT INTO mention VALUES (?,?,?)")
      unmention = try database.prepare("DELETE FROM mention WHERE status = ?")
    }

    func write(_ post: Status) throws {
      try write(post.user)
      if let retweeted = post.retweeted { try write(retweeted) }
      status.bind(post.id, at: 1)
      for (place, text) in [post.text, post.source, post.lang, post.createdAt].enumerated() {
        status.bind(text, at: CInt(place + 2))
      }
      let numbers = [
        post.truncated ? 1 : 0, post.replyTo, post.retweets, post.favorites,
        post.user.id,
        post.retweeted?.id,
      ]
      for (place, number) in numbers.enumerated() { status.bind(optional: number, at: CInt(place + 6)) }
      try status.run()
      unmention.bind(post.id, at: 1)
      try unmention.run()
      for (position, mentioned) in post.entities.mentions.enumerated() {
        try write(mentioned)
        mention.bind(post.id, at: 1)
        mention.bind(Int64(position), at: 2)
        mention.bind(mentioned.id, at: 3)
        try mention.run()
      }
    }

    private func write(_ person: User) throws {
      user.bind(person.id, at: 1)
      for (place, text) in [person.name, person.screenName, person.location, person.description].enumerated()
      {
        user.bind(optional: text, at: CInt(place + 2))
      }
      let numbers = [
        person.followers, person.friends, person.statuses,
        person.verified.map { $0 ? 1 : 0 },
      ]
      for (place, number) in numbers.enumerated() { user.bind(optional: number, at: CInt(place + 6)) }
      user.bind(optional: person.createdAt, at: 10)
      try user.run()
    }
  }
}
