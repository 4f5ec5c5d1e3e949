import FastMapCore

/// Passes and their tags, for tests of contexts. A tag that leaves a bag is deleted, even if others refer to it.
enum Passes {
  final class Tag {
    var id = 0
    var part: Tag?

    static let mapping: Mapping<Tag> = Mapping(Tag.self, "Tag", primaryKey: "id", make: { Tag() }) {
      Attribute("id", \.id)
      ToOne("part", \.part, Tag.mapping, policy: .replace(deletesShared: true))
    }
  }

  final class Pass {
    var id = 0
    var name: String?
    var cover: Tag?
    var bag: [Tag] = []
    var tags: [Tag] = []
    var next: Pass?

    static let mapping: Mapping<Pass> = Mapping(Pass.self, "Pass", primaryKey: "id", make: { Pass() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToOne("cover", \.cover, Tag.mapping)
      ToMany("bag", \.bag, Tag.mapping, policy: .replace(deletesShared: true))
      ToMany("tags", \.tags, Tag.mapping)
      ToOne("next", \.next, Pass.mapping)
    }
  }
}
