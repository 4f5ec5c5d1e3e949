// The blocks stand here as the page has them.
// swift-format-ignore-file
import FastMapCore
import FastMapMemory
import FastMapQueries
import Testing

@Suite("RelationshipsAndPolicies.md", .printing)
struct RelationshipTests {
  final class Playlist {
    var id = 0
    var songs: OrderedObjectSet<Song> = []
    var cover: Picture?

    static let mapping = Mapping(Playlist.self, "Playlist", primaryKey: "id", make: Playlist.init) {
      Attribute("id", \.id)
      ToMany("songs", \.songs, Song.mapping, policy: .merge)
      ToOne("cover", \.cover, Picture.mapping)
    }
  }

  final class Song {
    var id = 0
    var title: String?
    weak var original: Song?

    static let mapping: Mapping<Song> = Mapping(Song.self, "Song", primaryKey: "id", make: Song.init) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      ToOne("original", \.original, Song.mapping, at: "original_id", isWeak: true)
    }
  }

  final class Picture {
    var url = ""

    static let mapping = Mapping(Picture.self, "Picture", make: Picture.init) { Attribute("url", \.url) }
  }

  final class Writer {
    var id = 0
    var name: String?
    var novels: [Novel] = []

    static let mapping: Mapping<Writer> = Mapping(Writer.self, "Writer", primaryKey: "id", make: Writer.init) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      ToMany("novels", \.novels, inverseOf: \.writer, of: Novel.mapping)
    }
  }

  final class Novel {
    var id = 0
    var price = 0.0
    weak var writer: Writer?

    static let mapping: Mapping<Novel> = Mapping(Novel.self, "Novel", primaryKey: "id", make: Novel.init) {
      Attribute("id", \.id)
      Attribute("price", \.price)
      ToOne("writer", \.writer, Writer.mapping)
    }
  }

  @Test func anInverseIsTheOtherSide() throws {
    let store = MemoryStore()
    let json = #"[{"id": 2, "price": 6, "writer": {"id": 7}}, {"id": 1, "price": 3, "writer": 7}]"#
    _ = try Mapper(store).importJSON(json, as: Novel.mapping)

    let dear = Writer.mapping.where { $0.novels.contains { $0.price > 5 } && $0.novels.count < 3 }

    let writers = try store.read { try $0.objects(dear, including: \.novels) }
    #expect(writers.map { $0.novels.map(\.id) } == [[1, 2]])

    let shelf = Mapping("Shelf", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("volumes", inverseOf: "shelf", of: .named("Volume"))
    }
    let shelves = #"""
      {"fastmap": 1, "mappings": {
        "Shelf": {
          "primaryKey": "id",
          "attributes": {"id": "integer"},
          "relationships": {"volumes": {"inverseOf": "Volume.shelf", "toMany": true}}
        },
        "Volume": {
          "primaryKey": "id",
          "attributes": {"id": "integer"},
          "relationships": {"shelf": {"mapping": "Shelf"}}
        }
      }}
      """#

    #expect(shelf.definition.inverses.map(\.name) == ["volumes"])
    try #expect(MappingSet(file: Array(shelves.utf8))["Shelf"]?.inverses.map(\.name) == ["volumes"])
  }

  struct ByTitle: RelatedObjects {
    var songs: [Song] = []

    init(related: [Song]?) { songs = (related ?? []).sorted { ($0.title ?? "") < ($1.title ?? "") } }
    var related: [AnyObject] { songs }
    static var shape: RelatedObjectsShape { .set }
  }

  @Test func aCollectionOfOnesOwnIsAProperty() throws {
    final class Album {
      var id = 0
      var songs = ByTitle(related: nil)
    }
    let mapping = Mapping(Album.self, "Album", primaryKey: "id", make: Album.init) {
      Attribute("id", \.id)
      ToMany("songs", \.songs, Song.mapping)
    }
    let json = #"{"id": 1, "songs": [{"id": 1, "title": "B"}, {"id": 2, "title": "A"}]}"#
    let album = try mapping.object(from: json)
    #expect(album?.songs.songs.map(\.title) == ["A", "B"])
  }

  @Test func toOneAndToManyAreMapped() throws {
    let list = try Playlist.mapping.object(
      from: #"{"id": 1, "songs": [1, {"id": 2, "original_id": 1}], "cover": {"url": "a"}}"#)
    if let list {
      try Playlist.mapping.fill(list, from: #"{"id": 1, "songs": {"id": 3, "original_id": 99}}"#)
    }
    #expect(list?.songs.map(\.id) == [1, 2, 3])
    #expect(list?.songs[1].original === list?.songs[0])
    #expect(list?.songs[2].original == nil)
    #expect(list?.cover?.url == "a")
  }

  @Test func replaceDeletesSharedTargetsWhereItIsTold() throws {
    let page = Mapping("Page", primaryKey: "id") { Attribute("id", .integer) }
    let binder = Mapping("Binder", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("pages", page, policy: .replace(deletesShared: true))
    }

    let mapper = Mapper(MemoryStore())
    _ = try mapper.importJSON(#"[{"id": 1, "pages": [1, 2]}, {"id": 2, "pages": [1, 2]}]"#, as: binder)
    let report = try mapper.importJSON(#"{"id": 1, "pages": [2]}"#, as: binder)
    #expect(report["Page"]?.deleted == 1)
  }

  @Test func policiesOfOnesOwnDecide() throws {
    let newestFirst = RelationshipPolicy.custom("newestFirst") { change in
      change.new + change.old.filter { !change.new.contains($0) }
    }

    let longestFive = RelationshipPolicy.custom("longestFive") { change in
      let targets = change.old + change.new.filter { !change.old.contains($0) }
      let lengths = try targets.map { target in
        if case .integer(let length)? = try change.record(target)?["length"] { length } else { Int64(0) }
      }
      let kept = zip(targets, lengths).sorted { $0.1 > $1.1 }.prefix(5).map { $0.0 }
      for old in change.old where !kept.contains(old) { change.delete(old) }
      return kept
    }

    let song = Mapping("Song", primaryKey: "id") {
      Attribute("id", .integer)
      Attribute("length", .integer)
    }
    let album = Mapping("Album", primaryKey: "id") {
      Attribute("id", .integer)
      ToMany("songs", song, policy: newestFirst)
      ToMany("best", song, policy: longestFive)
    }
    let store = MemoryStore()
    let plan = try Plan(album)
    func load(_ songs: [Int], _ best: [Int]) throws {
      let text = best.map { #"{"id": \#($0), "length": \#($0)}"# }.joined(separator: ",")
      _ = try Mapper(store).importJSON(#"{"id": 1, "songs": \#(songs), "best": [\#(text)]}"#, as: plan)
    }
    func keys(_ name: String) throws -> [PrimaryKey?] {
      try store.read(plan) { reader in
        try reader.record("Album", key: 1).map { try reader.records(name, of: $0).map(\.key) } ?? []
      }
    }
    try load([1, 2], [11, 12, 13, 14, 15])
    try load([3, 2], [16])
    try #expect(keys("songs") == [3, 2, 1])
    try #expect(keys("best") == [16, 15, 14, 13, 12])
    #expect(try store.read(plan) { try $0.record("Song", key: 11) } == nil)
  }

  @Test func theOwnersOwnRepresentationIsMapped() throws {
    let city = Mapping("City", primaryKey: "name") {
      Attribute("name", .string, at: "city")
    }
    let address = Mapping("Address", primaryKey: "id") {
      Attribute("id", .integer)
      ToOne("city", city, at: .wholeValue)     // {"id": 1, "city": "London"}
    }

    let report = try Mapper(MemoryStore()).importJSON(#"{"id": 1, "city": "London"}"#, as: address)
    #expect(report["City"]?.inserted == 1)
  }
}
