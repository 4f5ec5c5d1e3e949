import FastMapCore
import FastMapLMDB
import TestSupport
import Testing

private final class Album {
  enum Mood: String, AttributeValue {
    case calm, loud
  }

  var id = 0
  var title = ""
  var isLive = false
  var rating: Double?
  var plays: UInt32 = 0
  var mood: Mood?
  var released: Timestamp?
  var cover: [UInt8] = []
  var genres: [String] = []
  var label: String?
  var artist: Artist?
  var tracks: [Track] = []
  var notes: [Note] = []

  static let mapping = Mapping(
    Album.self, "Album", rootPath: "result.albums", primaryKey: "id", make: Album.init
  ) {
    Attribute("id", \.id)
    Attribute("title", \.title)
    Attribute("isLive", \.isLive, at: "live")
    Attribute("rating", \.rating)
    Attribute("plays", \.plays)
    Attribute("mood", \.mood)
    Attribute("released", \.released, as: .date(.pattern("%Y-%m-%d")))
    Attribute("cover", \.cover)
    Attribute("genres", \.genres)
    Attribute("label", \.label, at: "label.name")
    ToOne("artist", \.artist, Artist.mapping, at: "artist_id")
    ToMany("tracks", \.tracks, Track.mapping, policy: .replace)
    ToMany("notes", \.notes, Note.mapping, policy: .merge)
  }

  static let file = #"""
    {"fastmap": 1, "mappings": {
      "Album": {"rootPath": "result.albums", "primaryKey": "id",
        "attributes": {
          "id": "integer", "title": {"type": "string", "default": ""},
          "isLive": {"type": "boolean", "keyPath": "live", "default": false}, "rating": "number",
          "plays": {"type": "integer", "default": 0}, "mood": "string",
          "released": {"type": "date", "format": "%Y-%m-%d"}, "cover": {"type": "data", "default": ""},
          "genres": {"type": "json", "default": []}, "label": {"type": "string", "keyPath": "label.name"}},
        "relationships": {
          "artist": {"mapping": "Artist", "keyPath": "artist_id"},
          "tracks": {"mapping": "Track", "toMany": true, "policy": "replace"},
          "notes": {"mapping": "Note", "toMany": true, "policy": "merge"}}},
      "Artist": {"primaryKey": "name", "attributes": {"name": {"type": "string", "keyPath": null}}},
      "Track": {"primaryKey": "id", "attributes": {"id": "string", "length": {"type": "number", "default": 0}}},
      "Note": {"attributes": {"text": "string"}}}}
    """#
}

private final class Artist {
  var name = ""
  static let mapping = Mapping(Artist.self, "Artist", primaryKey: "name", make: Artist.init) {
    Attribute("name", \.name, at: .wholeValue)
  }
}

private final class Track {
  var id = ""
  var length: Float = 0
  static let mapping = Mapping(Track.self, "Track", primaryKey: "id", make: Track.init) {
    Attribute("id", \.id)
    Attribute("length", \.length)
  }
}

private final class Note {
  var text: String?
  static let mapping = Mapping(Note.self, "Note", make: Note.init) { Attribute("text", \.text) }
}

/// A typed mapping and a mapping file.
@Suite struct TypedMappingTests {
  private let typed = Scratch()
  private let untyped = Scratch()

  @Test func aTypedMappingAndAMappingFileWriteTheSameBytes() throws {
    let payloads = [
      #"""
      {"result": {"albums": [
        {"id": 2, "title": "Kind of Blue", "live": false, "rating": 4.75, "plays": 4294967295, "mood": "calm",
         "released": "1959-08-17", "cover": "AP8=", "genres": ["jazz", "modal"], "label": {"name": "Columbia"},
         "artist_id": "Miles Davis", "tracks": [{"id": "b", "length": 545.5}, {"id": "a", "length": 589}],
         "notes": [{"text": "mono"}, {"text": null}]},
        {"id": 1, "rating": null, "live": true, "tracks": []},
        {"id": 2, "notes": [{"text": "stereo"}]}]}}
      """#,
      #"""
      {"result": {"albums": [{"id": 2, "rating": null, "label": null, "artist_id": null, "tracks": [{"id": "a"}]}]}}
      """#,
    ]
    let plan = try MappingSet(file: Array(Album.file.utf8)).plan(for: "Album")
    do {
      let first = try LMDBStore(at: typed.store)
      let second = try LMDBStore(at: untyped.store)
      for payload in payloads {
        let one = try Mapper(first).importJSON(Array(payload.utf8), as: Album.mapping)
        let other = try Mapper(second).importJSON(Array(payload.utf8), as: plan)
        #expect(one.entities == other.entities)
      }
    }
    let bytes = try Files.bytes(of: typed.dataFile)
    #expect(bytes.count > 8192)
    try #expect(bytes == Files.bytes(of: untyped.dataFile))
  }
}
