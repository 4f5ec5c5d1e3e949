package import FastMapCore

/// The mappings of the behaviour catalogue.
package enum Fixture {
  /// `Author pk=authorID {authorID<-"id", name<-"n"}`
  package static let author = Mapping("Author", primaryKey: "authorID") {
    Attribute("authorID", .integer, at: "id")
    Attribute("name", .string, at: "n")
  }

  /// `Tag pk=tagID {tagID<-"id", text<-"t"}`
  package static let tag = Mapping("Tag", primaryKey: "tagID") {
    Attribute("tagID", .integer, at: "id")
    Attribute("text", .string, at: "t")
  }

  /// `Book pk=bookID {bookID<-"id", title<-"t", year<-"y", one author<-"a":Author, many tags<-"tags":Tag}`
  package static func book(_ policy: RelationshipPolicy = .assign, isWeak: Bool = false) -> Mapping<Record> {
    Mapping("Book", primaryKey: "bookID") {
      Attribute("bookID", .integer, at: "id")
      Attribute("title", .string, at: "t")
      Attribute("year", .string, at: "y")
      ToOne("author", author, at: "a", policy: policy, isWeak: isWeak)
      ToMany("tags", tag, policy: policy, isWeak: isWeak)
    }
  }

  /// `Node pk=nodeID {nodeID<-"id", one child<-"child":Node itself}`, and many children.
  package static let node: Mapping<Record> = Mapping("Node", primaryKey: "nodeID") {
    Attribute("nodeID", .integer, at: "id")
    Attribute("name", .string, at: "n")
    ToOne("child", node)
    ToMany("kids", node)
  }
}
