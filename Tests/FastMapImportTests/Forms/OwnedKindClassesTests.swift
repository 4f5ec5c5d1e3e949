import FastMapCore
import FastMapQueries
import FastMapStoreTesting
import TestSupport
import Testing

/// Objects without a key, of several classes.
@Suite struct OwnedKindClassesTests {
  class Block {
    var caption: Block?
    static let mapping: Mapping<Block> = Mapping(
      Block.self, "Block",
      kinds: Kinds("type", ["text": .mapping(Block.text), "image": .mapping(Block.image)], otherwise: .skip),
      make: { Block() }
    ) { ToOne("caption", \.caption, Block.mapping) }
    static let text = Mapping(Text.self, "Text", kindOf: Block.mapping, make: { Text() }) {
      Attribute("text", \.text)
    }
    static let image = Mapping(Image.self, "Image", kindOf: Block.mapping, make: { Image() }) {
      Attribute("url", \.url)
    }
  }
  final class Text: Block { var text = "" }
  final class Image: Block { var url: String? }
  final class Post {
    var id = 0
    var blocks: [Block] = []
    var cover: Block?
    static let mapping = Mapping(Post.self, "Post", primaryKey: "id", make: { Post() }) {
      Attribute("id", \.id)
      ToMany("blocks", \.blocks, Block.mapping)
      ToOne("cover", \.cover, Block.mapping)
    }
    var text: String {
      func text(_ block: Block?) -> String {
        let own = (block as? Text)?.text ?? (block as? Image)?.url ?? "-"
        return block.map { "\(type(of: $0)) \(own)\($0.caption.map { "(" + text($0) + ")" } ?? "")" } ?? "-"
      }
      return "\(blocks.map(text)) \(text(cover))"
    }
  }

  @Test(arguments: StoreKind.allCases)
  func ownedObjectsAreInstancesOfTheirClasses(_ kind: StoreKind) throws {
    let json = #"""
      {"id":1,"cover":{"type":"image","url":"c"},"blocks":[{"type":"text","text":"a"},{"type":"map"},
       {"type":"image","url":"u","caption":{"type":"text","text":"b"}}]}
      """#
    let text = #"["Text a", "Image u(Text b)"] Image c"#
    let world = try World(kind, Post.mapping, holding: json)
    try #expect(world.instance(Post.mapping, 1)?.text == text)
    try #expect(Post.mapping.object(from: json)?.text == text)
    let export = try world.export()
    let stored = try #require(try world.instance(Post.mapping, 1))
    try #expect(Serializer(Post.mapping).json(of: stored) == String(export.dropFirst().dropLast()))
    try world.store.withContext(for: Post.mapping) { context in
      let post = try #require(try context.object(Post.mapping, key: 1, including: \.blocks, \.cover))
      let new = Text()
      new.text = "n"
      post.blocks.append(new)
      post.cover = new
      post.cover = Text()
      try context.save()
    }
    try #expect(world.instance(Post.mapping, 1)?.text == #"["Text a", "Image u(Text b)", "Text n"] Text "#)
    let changed =
      #"[{"id":1,"cover":{"type":"image","url":"c"}},{"id":1,"cover":{"type":"text","text":"t"}}]"#
    try #expect(Post.mapping.objects(from: changed)[0].text == "[] Text t")
  }
}
