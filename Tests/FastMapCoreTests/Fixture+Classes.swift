import FastMapCore
import TestSupport

extension Fixture {
  /// `Thread pk=threadID {threadID<-"id", one last<-"last":Post, many posts<-"posts":Post}`
  static let thread = Mapping("Thread", primaryKey: "threadID") {
    Attribute("threadID", .integer, at: "id")
    ToOne("last", post)
    ToMany("posts", post)
  }

  /// `Post pk=postID {postID<-"id", one thread<-"thread":Thread'}`, where Thread' has nothing but the key.
  static let post = Mapping("Post", primaryKey: "postID") {
    Attribute("postID", .integer, at: "id")
    ToOne("thread", threadKey)
  }

  static let threadKey = Mapping("ThreadKey", entity: "Thread", primaryKey: "threadID") {
    Attribute("threadID", .integer, at: "id")
  }

  /// `Member id=memberID {memberID<-"id", first<-"n", birth<-"b", one club<-"club":Club}`
  static let member: Mapping<Record> = Mapping("Member", primaryKey: "memberID") {
    Attribute("memberID", .integer, at: "id")
    Attribute("first", .string, at: "n")
    Attribute("birth", .date(.pattern("%Y")), at: "b")
    ToOne("club", club)
  }

  /// `Club id=clubID {clubID<-"id", name<-"name", no<-"addr.no", created<-"d", many members, ordered, chiefs, venues}`
  static let club: Mapping<Record> = Mapping("Club", primaryKey: "clubID") {
    Attribute("clubID", .integer, at: "id")
    Attribute("name", .string)
    Attribute("no", .integer, at: "addr.no")
    Attribute("created", .date(.pattern("%Y-%m-%d")), at: "d")
    ToMany("members", member)
    ToMany("ordered", member)
    ToMany("chiefs", member)
    ToMany("venues", venue)
  }

  /// `Venue id=venueID {venueID<-"id", one advisor<-"advisor":Member}`
  static let venue: Mapping<Record> = Mapping("Venue", primaryKey: "venueID") {
    Attribute("venueID", .integer, at: "id")
    ToOne("advisor", member)
  }
}

/// The catalogue's mappings on plain classes.
enum TypedFixture {
  final class Author {
    var authorID = 0
    var name: String?

    static let mapping = Mapping(Author.self, "Author", primaryKey: "authorID", make: Author.init) {
      Attribute("authorID", \.authorID, at: "id")
      Attribute("name", \.name, at: "n")
    }
  }

  final class Tag: Hashable {
    var tagID = 0
    var text: String?

    static let mapping = Mapping(Tag.self, "Tag", primaryKey: "tagID", make: Tag.init) {
      Attribute("tagID", \.tagID, at: "id")
      Attribute("text", \.text, at: "t")
    }

    static func == (a: Tag, b: Tag) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// It writes down which of its properties are set.
  final class Book {
    var bookID = 0 { didSet { sets.append("bookID") } }
    var title: String? { didSet { sets.append("title") } }
    var year: String? { didSet { sets.append("year") } }
    var author: Author? { didSet { sets.append("author") } }
    var tags: [Tag] = [] { didSet { sets.append("tags") } }
    var sets: [String] = []

    static func mapping(_ policy: RelationshipPolicy = .assign) -> Mapping<Book> {
      Mapping(Book.self, "Book", primaryKey: "bookID", make: Book.init) {
        Attribute("bookID", \.bookID, at: "id")
        Attribute("title", \.title, at: "t")
        Attribute("year", \.year, at: "y")
        ToOne("author", \.author, Author.mapping, at: "a", policy: policy)
        ToMany("tags", \.tags, Tag.mapping, policy: policy)
      }
    }
  }

  final class Node {
    var nodeID = 0
    var name: String?
    weak var child: Node?
    var kids: [Node] = []

    static let mapping: Mapping<Node> = Mapping(Node.self, "Node", primaryKey: "nodeID", make: Node.init) {
      Attribute("nodeID", \.nodeID, at: "id")
      Attribute("name", \.name, at: "n")
      ToOne("child", \.child, mapping)
      ToMany("kids", \.kids, mapping)
    }
  }

  final class Member {
    var memberID = 0
    var first: String?
    var birth: Timestamp?
    weak var club: Club?

    static let mapping = Mapping(Member.self, "Member", primaryKey: "memberID", make: Member.init) {
      Attribute("memberID", \.memberID, at: "id")
      Attribute("first", \.first, at: "n")
      Attribute("birth", \.birth, at: "b", as: .date(.pattern("%Y")))
      ToOne("club", \.club, Club.mapping)
    }
  }

  final class Club {
    var clubID = 0
    var name: String?
    var no: Int?
    var created: Timestamp?
    var members: [Member] = []
    var ordered: OrderedObjectSet<Member> = []
    var chiefs: [Member] = []
    var venues: [Venue] = []

    static let mapping: Mapping<Club> = Mapping(Club.self, "Club", primaryKey: "clubID", make: Club.init) {
      Attribute("clubID", \.clubID, at: "id")
      Attribute("name", \.name)
      Attribute("no", \.no, at: "addr.no")
      Attribute("created", \.created, at: "d", as: .date(.pattern("%Y-%m-%d")))
      ToMany("members", \.members, Member.mapping)
      ToMany("ordered", \.ordered, Member.mapping)
      ToMany("chiefs", \.chiefs, Member.mapping)
      ToMany("venues", \.venues, Venue.mapping)
    }
  }

  final class Venue {
    var venueID = 0
    var advisor: Member?

    static let mapping: Mapping<Venue> = Mapping(Venue.self, "Venue", primaryKey: "venueID", make: Venue.init)
    {
      Attribute("venueID", \.venueID, at: "id")
      ToOne("advisor", \.advisor, Member.mapping)
    }
  }
}
