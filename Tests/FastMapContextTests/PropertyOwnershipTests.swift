import FastMapCore
import Testing

private final class Book {
  var id = 0
  var title: String?
  var author: Book?
  var other: Book?
  var parts: [Book] = []

  static let key = Mapping(Book.self, "BookKey", entity: "Book", primaryKey: "id", make: Book.init) {
    Attribute("id", \.id, at: .wholeValue)
  }
}

/// A property is one field.
@Suite struct PropertyOwnershipTests {
  private func faults(_ mapping: Mapping<Book>) -> [String] {
    #expect(throws: MappingDefinitionError.self) { try Plan(mapping) }?.faults.map(\.description) ?? []
  }

  // FEM-200, WAM-23
  @Test func twoAttributesOfOnePropertyAreRefused() {
    let mapping = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      Attribute("name", \.title, at: "title_long")
    }
    #expect(
      faults(mapping) == [
        #"$.mappings.Book.attributes.name: "name" has the property of "title"; a property is one field of Book"#
      ])
  }

  // FEM-200, WAM-23
  @Test func twoRelationshipsOfOnePropertyAreRefused() {
    let mapping = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      ToOne("author", \.author, Book.key)
      ToOne("writer", \.author, Book.key)
      ToMany("parts", \.parts, Book.key)
      ToMany("chapters", \.parts, Book.key)
    }
    #expect(
      faults(mapping) == [
        #"$.mappings.Book.relationships.writer: "writer" has the property of "author"; "#
          + "a property is one field of Book",
        #"$.mappings.Book.relationships.chapters: "chapters" has the property of "parts"; "#
          + "a property is one field of Book",
      ])
  }

  // WAM-23
  @Test func oneFieldIsOnePropertyInAllMappingsOfAClass() {
    let other = Mapping(Book.self, "Other", entity: "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      ToOne("link", \.author, Book.key)
    }
    let mapping = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      ToOne("link", \.other, Book.key)
      ToMany("parts", \.parts, other)
    }
    #expect(
      faults(mapping) == [
        #"$.mappings.Other.relationships.link: "link" is another property here than in the mapping "Book"; "#
          + "a field is one property of Book"
      ])
  }

  // WAM-23
  @Test func twoFieldsOfOnePropertyInTwoMappingsOfAClassAreRefused() throws {
    let renamed = Mapping(Book.self, "Other", entity: "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      Attribute("name", \.title)
    }
    let mapping = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      ToOne("author", \.author, renamed)
    }
    #expect(
      faults(mapping) == [
        #"$.mappings.Other.attributes.name: "name" has the property of "title"; a property is one field of Book"#
      ])
    let fine = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      ToOne("author", \.author, Book.key)
    }
    _ = try Plan(fine)
  }

  @Test func aNameThatIsDeclaredTwiceHasOneFault() {
    let mapping = Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      ToOne("title", \.author, Book.key)
    }
    #expect(faults(mapping) == [#"$.mappings.Book.relationships.title: "title" is declared twice"#])
  }
}
