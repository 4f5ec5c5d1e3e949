package import FastMapCore

extension Fixture {
  /// `Thread pk=threadID {threadID<-"id", one last<-"last":Post, many posts<-"posts":Post}`
  package static let thread = Mapping("Thread", primaryKey: "threadID") {
    Attribute("threadID", .integer, at: "id")
    ToOne("last", post)
    ToMany("posts", post)
  }

  /// `Post pk=postID {postID<-"id", one thread<-"thread":Thread'}`, where Thread' has nothing but the key.
  package static let post = Mapping("Post", primaryKey: "postID") {
    Attribute("postID", .integer, at: "id")
    ToOne("thread", threadKey)
  }

  package static let threadKey = Mapping("ThreadKey", entity: "Thread", primaryKey: "threadID") {
    Attribute("threadID", .integer, at: "id")
  }

  /// `Member id=memberID {memberID<-"id", first<-"n", birth<-"b", one club<-"club":Club}`
  package static let member: Mapping<Record> = Mapping("Member", primaryKey: "memberID") {
    Attribute("memberID", .integer, at: "id")
    Attribute("first", .string, at: "n")
    Attribute("birth", .date(.pattern("%Y")), at: "b")
    ToOne("club", club)
  }

  /// `Club id=clubID {clubID<-"id", name<-"name", no<-"addr.no", created<-"d", many members, ordered, chiefs, venues}`
  package static let club: Mapping<Record> = Mapping("Club", primaryKey: "clubID") {
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
  package static let venue: Mapping<Record> = Mapping("Venue", primaryKey: "venueID") {
    Attribute("venueID", .integer, at: "id")
    ToOne("advisor", member)
  }
}

/// The catalogue's mappings on plain classes.
package enum TypedFixture {
  package final class Author {
    package var authorID = 0
    package var name: String?

    package init() {}

    package static let mapping = Mapping(Author.self, "Author", primaryKey: "authorID", make: Author.init) {
      Attribute("authorID", \.authorID, at: "id")
      Attribute("name", \.name, at: "n")
    }
  }

  package final class Tag: Hashable {
    package var tagID = 0
    package var text: String?

    package init() {}

    package static let mapping = Mapping(Tag.self, "Tag", primaryKey: "tagID", make: Tag.init) {
      Attribute("tagID", \.tagID, at: "id")
      Attribute("text", \.text, at: "t")
    }

    package static func == (a: Tag, b: Tag) -> Bool { a === b }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }

  /// It writes down which of its properties are set.
  package final class Book {
    package var bookID = 0 { didSet { sets.append("bookID") } }
    package var title: String? { didSet { sets.append("title") } }
    package var year: String? { didSet { sets.append("year") } }
    package var author: Author? { didSet { sets.append("author") } }
    package var tags: [Tag] = [] { didSet { sets.append("tags") } }
    package var sets: [String] = []

    package init() {}

    package static func mapping(_ policy: RelationshipPolicy = .assign) -> Mapping<Book> {
      Mapping(Book.self, "Book", primaryKey: "bookID", make: Book.init) {
        Attribute("bookID", \.bookID, at: "id")
        Attribute("title", \.title, at: "t")
        Attribute("year", \.year, at: "y")
        ToOne("author", \.author, Author.mapping, at: "a", policy: policy)
        ToMany("tags", \.tags, Tag.mapping, policy: policy)
      }
    }
  }

  package final class Node {
    package var nodeID = 0
    package var name: String?
    package weak var child: Node?
    package var kids: [Node] = []

    package init() {}

    package static let mapping: Mapping<Node> = Mapping(
      Node.self, "Node", primaryKey: "nodeID", make: Node.init
    ) {
      Attribute("nodeID", \.nodeID, at: "id")
      Attribute("name", \.name, at: "n")
      ToOne("child", \.child, mapping)
      ToMany("kids", \.kids, mapping)
    }
  }

  package final class Member {
    package var memberID = 0
    package var first: String?
    package var birth: Timestamp?
    package weak var club: Club?

    package init() {}

    package static let mapping = Mapping(Member.self, "Member", primaryKey: "memberID", make: Member.init) {
      Attribute("memberID", \.memberID, at: "id")
      Attribute("first", \.first, at: "n")
      Attribute("birth", \.birth, at: "b", as: .date(.pattern("%Y")))
      ToOne("club", \.club, Club.mapping)
    }
  }

  package final class Club {
    package var clubID = 0
    package var name: String?
    package var no: Int?
    package var created: Timestamp?
    package var members: [Member] = []
    package var ordered: OrderedObjectSet<Member> = []
    package var chiefs: [Member] = []
    package var venues: [Venue] = []

    package init() {}

    package static let mapping: Mapping<Club> = Mapping(
      Club.self, "Club", primaryKey: "clubID", make: Club.init
    ) {
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

  package final class Venue {
    package var venueID = 0
    package var advisor: Member?

    package init() {}

    package static let mapping: Mapping<Venue> = Mapping(
      Venue.self, "Venue", primaryKey: "venueID", make: Venue.init
    ) {
      Attribute("venueID", \.venueID, at: "id")
      ToOne("advisor", \.advisor, Member.mapping)
    }
  }
}
