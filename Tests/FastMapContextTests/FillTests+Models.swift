import FastMapCore

extension FillTests {
  final class Book {
    var id = 0
    var title: String? { didSet { titleWasSet += 1 } }
    var year = 1900
    var author: Author?
    var tags: [Tag] = []
    var titleWasSet = 0

    static func mapping(_ policy: RelationshipPolicy = .assign) -> Mapping<Book> {
      Mapping(Book.self, "Book", primaryKey: "id", make: Book.init) {
        Attribute("id", \.id)
        Attribute("title", \.title)
        Attribute("year", \.year)
        ToOne("author", \.author, Author.mapping, policy: policy)
        ToMany("tags", \.tags, Tag.mapping, policy: policy)
      }
    }

    static let plain = mapping()
    static let wrapped = Mapping(
      Book.self, "Book", rootPath: "result.book", primaryKey: "id", make: Book.init
    ) {
      Attribute("id", \.id)
      Attribute("title", \.title)
    }
  }

  final class Author {
    var id = 0
    var name: String?
    static let mapping = Mapping(Author.self, "Author", primaryKey: "id", make: Author.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
    }
  }

  final class Tag {
    var id = 0
    static let mapping = Mapping(Tag.self, "Tag", primaryKey: "id", make: Tag.init) { Attribute("id", \.id) }
  }

  final class Person {
    var id: Int?
    var name: String?
    var friends: [Person] = []
    static let mapping: Mapping<Person> = Mapping(
      Person.self, "Person", primaryKey: "id", make: Person.init
    ) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToMany("friends", \.friends, Person.mapping)
    }
  }

  final class Phone {
    var number: String?
    static let mapping = Mapping(Phone.self, "Phone", make: Phone.init) { Attribute("number", \.number) }
  }

  final class Contact {
    var name: String?
    var email: String?
    var phones: [Phone] = []
    static let mapping = Mapping(Contact.self, "Contact", make: Contact.init) {
      Attribute("name", \.name)
      Attribute("email", \.email)
      ToMany("phones", \.phones, Phone.mapping)
    }
  }

  final class Owner {
    var id = 0
    var name: String?
    var phones: [Phone] = []
    static let mapping = Mapping(Owner.self, "Owner", primaryKey: "id", make: Owner.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToMany("phones", \.phones, Phone.mapping)
    }
  }
}
