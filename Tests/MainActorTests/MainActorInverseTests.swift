import FastMapCore
import FastMapQueries
import Observation
import TestSupport
import Testing

@Observable final class Studio {
  var id = 0
  var albums: [Album] = []

  static let mapping: MainActorMapping<Studio> = MainActorMapping(
    Studio.self, "Studio", primaryKey: "id", make: Studio.init
  ) {
    Attribute("id", \.id)
    ToMany("albums", \.albums, inverseOf: \.studio, of: Album.mapping)
  }
}

@Observable final class Album {
  var id = 0
  var studio: Studio?
  var songs: [Track] = []

  static let mapping: MainActorMapping<Album> = MainActorMapping(
    Album.self, "Album", primaryKey: "id", make: Album.init
  ) {
    Attribute("id", \.id)
    ToOne("studio", \.studio, Studio.mapping)
    ToMany("songs", \.songs, Track.mapping)
  }
}

@Observable final class Track {
  var id = 0
  var album: Album?
  var albums: [Album] = []

  static let mapping: MainActorMapping<Track> = MainActorMapping(
    Track.self, "Track", primaryKey: "id", make: Track.init
  ) {
    Attribute("id", \.id)
    ToOne("album", \.album, inverseOf: \.songs, of: Album.mapping)
    ToMany("albums", \.albums, inverseOf: \.songs, of: Album.mapping)
  }
}

/// Inverses in classes of the main actor.
@Suite struct MainActorInverseTests {
  @Test(arguments: StoreKind.allCases)
  func inversesAreFilledOnTheMainActor(_ kind: StoreKind) async throws {
    let store = try kind.make()
    let json = #"[{"id":3,"studio":{"id":7},"songs":[1,2]},{"id":1,"studio":7,"songs":[2]}]"#
    let albums = try await Mapper(store).roundTrip(json, as: Album.mapping, depth: .max)
    #expect(albums.map { $0.studio?.albums.map(\.id) } == [[1, 3], [1, 3]])
    #expect(albums[1].songs.map { $0.albums.map(\.id) } == [[3], [1, 3]])
    #expect(albums[1].songs.map { $0.album?.id } == [3, 1])
    _ = try await Mapper(store).roundTrip(
      #"{"id":3,"studio":null,"songs":[2]}"#, as: Album.mapping, depth: .max)
    let studios = try reading(store) { try $0.objects(Studio.mapping, depth: .max) }
    #expect(studios.map { $0.albums.map(\.id) } == [[1]])
    let found = try reading(store) { snapshot in
      try snapshot.objects(
        Track.mapping.where { $0.albums.contains { $0.studio.id == 7 } && $0.album.id == 1 })
    }
    #expect(found.map(\.id) == [2])
  }
}
