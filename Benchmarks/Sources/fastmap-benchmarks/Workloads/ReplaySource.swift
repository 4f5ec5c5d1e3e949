import FastMapCore

/// The rules that make a workload from a public text: the place of its root objects, and the roles of their members.
struct ReplaySource {
  /// The file.
  let corpus: String
  /// The member of the root with the array of root objects; nil where the root is that array.
  let rootMember: String?
  /// Members that hold a key or a reference to one, wherever they are.
  let keyMembers: Set<String>
  /// The key of the related objects, one or an array of them, that a member has: they may come with it alone.
  let relatedKeys: [String: String]
  /// Members of a root object with a text that is mapped and may change.
  let textMembers: [String]
  /// Where in a root object its to-many relationship is.
  let children: [String]
  let plan: Plan

  var childKey: String { children.last.flatMap { relatedKeys[$0] } ?? "id" }

  func list(in root: JSONTree) -> JSONTree? { children.reduce(root) { $0?[$1] } }

  static func named(_ name: String) throws -> ReplaySource? {
    switch name {
    case "twitter": try twitter()
    case "bestbuy": try bestBuy()
    case "github": try gitHub()
    case "citm": try citm()
    default: nil
    }
  }

  static let names = ["twitter", "bestbuy", "github", "citm"]

  /// Posts, each with its author, those it mentions, and the post that it repeats.
  private static func twitter() throws -> ReplaySource {
    ReplaySource(
      corpus: "twitter.json", rootMember: "statuses",
      keyMembers: [
        "id", "id_str", "in_reply_to_status_id", "in_reply_to_status_id_str", "in_reply_to_user_id",
        "in_reply_to_user_id_str",
      ],
      relatedKeys: ["user": "id", "user_mentions": "id"], textMembers: ["text", "source", "lang"],
      children: ["entities", "user_mentions"], plan: try Plan(Twitter.status))
  }

  private enum Twitter {
    static let user = Mapping("User", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      Attribute("screenName", .string, at: "screen_name")
      Attribute("location", .string)
      Attribute("description", .string)
      Attribute("followers", .integer, at: "followers_count")
      Attribute("friends", .integer, at: "friends_count")
      Attribute("statuses", .integer, at: "statuses_count")
      Attribute("verified", .boolean)
      Attribute("createdAt", .string, at: "created_at")
    }
    static let status: Mapping<Record> = Mapping("Status", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("text", .string)
      Attribute("source", .string)
      Attribute("lang", .string)
      Attribute("createdAt", .string, at: "created_at")
      Attribute("truncated", .boolean)
      Attribute("replyTo", .integer, at: "in_reply_to_status_id")
      Attribute("retweets", .integer, at: "retweet_count")
      Attribute("favorites", .integer, at: "favorite_count")
      ToOne("user", Twitter.user)
      ToOne("retweeted", Twitter.status, at: "retweeted_status")
      ToMany("mentions", Twitter.user, at: "entities.user_mentions", policy: .replace)
    }
  }

  /// Categories of goods, with those above and those below each.
  private static func bestBuy() throws -> ReplaySource {
    ReplaySource(
      corpus: "bestbuy_categories.json", rootMember: nil, keyMembers: ["id"],
      relatedKeys: ["path": "id", "subCategories": "id"], textMembers: ["name"],
      children: ["subCategories"], plan: try Plan(BestBuy.category))
  }

  private enum BestBuy {
    static let category: Mapping<Record> = Mapping("Category", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("name", .string)
      ToMany("path", BestBuy.category)
      ToMany("subCategories", BestBuy.category, policy: .replace)
    }
  }

  /// Events, each with who did it and in which repository, and its commits.
  private static func gitHub() throws -> ReplaySource {
    let actor = Mapping("Actor", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("login", .string)
      Attribute("avatar", .string, at: "avatar_url")
      Attribute("url", .string)
    }
    let repository = Mapping("Repository", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("name", .string)
      Attribute("url", .string)
    }
    let commit = Mapping("Commit", primaryKey: "sha") {
      Attribute("sha", .string)
      Attribute("message", .string)
      Attribute("author", .string, at: "author.name")
      Attribute("email", .string, at: "author.email")
      Attribute("url", .string)
    }
    let event = Mapping("Event", primaryKey: "id") {
      Attribute("id", .string)
      Attribute("type", .string)
      Attribute("createdAt", .date(.iso8601), at: "created_at")
      Attribute("public", .boolean)
      ToOne("actor", actor)
      ToOne("repository", repository, at: "repo")
      ToMany("commits", commit, at: "payload.commits", policy: .replace)
    }
    return ReplaySource(
      corpus: "github_events.json", rootMember: nil, keyMembers: ["id", "sha"],
      relatedKeys: ["actor": "id", "repo": "id", "commits": "sha"], textMembers: ["type"],
      children: ["payload", "commits"], plan: try Plan(event))
  }

  /// Evenings in a concert hall, with their prices, which have no keys, and their seats.
  private static func citm() throws -> ReplaySource {
    let area = Mapping("Area", primaryKey: "areaId") { Attribute("areaId", .integer) }
    let seats = Mapping("Seats", primaryKey: "seatCategoryId") {
      Attribute("seatCategoryId", .integer)
      ToMany("areas", area)
    }
    let price = Mapping("Price") {
      Attribute("amount", .integer)
      Attribute("audience", .integer, at: "audienceSubCategoryId")
      Attribute("seats", .integer, at: "seatCategoryId")
    }
    let performance = Mapping("Performance", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("event", .integer, at: "eventId")
      Attribute("name", .string)
      Attribute("logo", .string)
      Attribute("start", .date(.epochMilliseconds))
      Attribute("venue", .string, at: "venueCode")
      ToMany("prices", price)
      ToMany("seats", seats, at: "seatCategories", policy: .replace)
    }
    return ReplaySource(
      corpus: "citm_catalog.json", rootMember: "performances",
      keyMembers: ["id", "eventId", "seatCategoryId", "areaId"],
      relatedKeys: ["seatCategories": "seatCategoryId"], textMembers: ["logo", "venueCode"],
      children: ["seatCategories"], plan: try Plan(performance))
  }
}
