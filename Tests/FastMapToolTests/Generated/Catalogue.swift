// Made by `fastmap swift` from a mapping file.
// swift-format-ignore-file

import FastMapCore

enum Catalogue {
  final class Book {
    var id = 0
    var title: String?
    var subtitle: String?
    var slug: String?
    var language: String?
    var pages: Int?
    var published: Timestamp?
    var inPrint: Bool?
    var height: Double?
    var width: Double?
    var depth: Double?
    var weight: Double?
    var description: String?
    var extra: JSONText?
    var updatedAt: Timestamp?
    var authors: [Author] = []
    var publisher: Publisher?
    var categories: [Category] = []
    var editions: [Edition] = []
    var reviews: [Review] = []
    var related: [Book] = []

    static let mapping: Mapping<Book> = Mapping(
      Book.self, "Book", rootPath: "catalogue.books", primaryKey: "id", make: Book.init
    ) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      Attribute("subtitle", \.subtitle)
      Attribute("slug", \.slug, at: #"seo\.slug"#)
      Attribute("language", \.language)
      Attribute("pages", \.pages)
      Attribute("published", \.published, as: .date(.pattern("%d %b %Y")))
      Attribute("inPrint", \.inPrint, at: "in_print")
      Attribute("height", \.height, at: "dimensions.height")
      Attribute("width", \.width, at: "dimensions.width")
      Attribute("depth", \.depth, at: "dimensions.depth")
      Attribute("weight", \.weight, at: "dimensions.weight")
      Attribute("description", \.description)
      Attribute("extra", \.extra)
      Attribute("updatedAt", \.updatedAt, at: "updated_at")
      ToMany("authors", \.authors, Author.mapping)
      ToOne("publisher", \.publisher, Publisher.mapping)
      ToMany("categories", \.categories, Category.refMapping)
      ToMany("editions", \.editions, Edition.mapping)
      ToMany("reviews", \.reviews, Review.mapping, policy: .replace)
      ToMany("related", \.related, Book.refMapping)
    }

    static let refMapping: Mapping<Book> = Mapping(
      Book.self, "BookRef", entity: "Book", primaryKey: "id", make: Book.init
    ) {
      Attribute("id", \.id, at: .wholeValue)
    }
  }

  final class Author {
    var id = 0
    var name: String?
    var sortName: String?
    var country: String?
    var born: Int?
    var biography: String?
    var homepage: String?

    static let mapping: Mapping<Author> = Mapping(
      Author.self, "Author", rootPath: "catalogue.authors", primaryKey: "id", make: Author.init
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("sortName", \.sortName, at: "sort_name")
      Attribute("country", \.country)
      Attribute("born", \.born)
      Attribute("biography", \.biography)
      Attribute("homepage", \.homepage)
    }
  }

  final class Publisher {
    var id = ""
    var name: String?
    var city: String?
    var country: String?
    var founded: Int?
    var website: String?
    var imprintOf: Publisher?

    static let mapping: Mapping<Publisher> = Mapping(
      Publisher.self, "Publisher", rootPath: "catalogue.publishers", primaryKey: "id", make: Publisher.init
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("city", \.city)
      Attribute("country", \.country)
      Attribute("founded", \.founded)
      Attribute("website", \.website)
      ToOne("imprintOf", \.imprintOf, Publisher.refMapping, at: "imprint_of")
    }

    static let refMapping: Mapping<Publisher> = Mapping(
      Publisher.self, "PublisherRef", entity: "Publisher", primaryKey: "id", make: Publisher.init
    ) {
      Attribute("id", \.id, at: .wholeValue)
    }
  }

  final class Category {
    var id = ""
    var name: String?
    var parent: Category?
    var children: [Category] = []

    static let mapping: Mapping<Category> = Mapping(
      Category.self, "Category", rootPath: "catalogue.categories", primaryKey: "id", make: Category.init
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToOne("parent", \.parent, Category.refMapping)
      ToMany("children", \.children, Category.mapping)
    }

    static let refMapping: Mapping<Category> = Mapping(
      Category.self, "CategoryRef", entity: "Category", primaryKey: "id", make: Category.init
    ) {
      Attribute("id", \.id, at: .wholeValue)
    }
  }

  final class Edition {
    var format: String?
    var isbn: String?
    var price: Double?
    var stock: Int?
    var digest: [UInt8]?

    static let mapping: Mapping<Edition> = Mapping(Edition.self, "Edition", make: Edition.init) {
      Attribute("format", \.format)
      Attribute("isbn", \.isbn)
      Attribute("price", \.price)
      Attribute("stock", \.stock)
      Attribute("digest", \.digest)
    }
  }

  final class Review {
    var id = 0
    var by: String?
    var rating: Int?
    var text: String?
    var posted: Timestamp?

    static let mapping: Mapping<Review> = Mapping(
      Review.self, "Review", primaryKey: "id", make: Review.init
    ) {
      Attribute("id", \.id)
      Attribute("by", \.by)
      Attribute("rating", \.rating)
      Attribute("text", \.text)
      Attribute("posted", \.posted, as: .date(.epoch))
    }
  }

  /// All mappings, for plans that know the others: `allMappings.plan(for: "Book")`.
  static let allMappings = MappingSet([
    Book.mapping.definition,
    Book.refMapping.definition,
    Author.mapping.definition,
    Publisher.mapping.definition,
    Publisher.refMapping.definition,
    Category.mapping.definition,
    Category.refMapping.definition,
    Edition.mapping.definition,
    Review.mapping.definition,
  ])

  /// Any JSON value, as its text.
  struct JSONText: AttributeValue, Hashable, Sendable {
    var text: String

    init(_ text: String) { self.text = text }

    static var attributeType: AttributeType { .json }

    init?(_ field: Field) {
      guard let bytes = field.bytes else { return nil }
      text = String(decoding: bytes, as: UTF8.self)
    }

    func write(to field: inout FieldWriter) {
      var text = text
      text.withUTF8 { field.set(json: UnsafeRawBufferPointer($0)) }
    }
  }
}
