import FastMapCore
import TestSupport
import Testing

/// Observers that change relationships, of their own object and of others. Their changes are no edits when the context
/// sets a property.
@Suite struct ContextCascadeTests {
  final class Place {
    var id = 0
    static let mapping = Mapping(Place.self, "Place", primaryKey: "id", make: { Place() }) {
      Attribute("id", \.id)
    }
  }

  /// Another country empties the rest.
  class Address {
    var id = 0
    var name = ""
    var zip: String?
    var city: Place?
    var shops: [Place] = []
    var country: Place? {
      didSet {
        if oldValue !== country { (city, shops, zip) = (nil, [], nil) }
      }
    }
  }

  /// Its mapping has the country behind the fields that the country empties.
  final class CountryLast: Address {
    static let mapping = Mapping(CountryLast.self, "Address", primaryKey: "id", make: { CountryLast() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("zip", \.zip)
      ToOne("city", \.city, Place.mapping)
      ToMany("shops", \.shops, Place.mapping, policy: .replace)
      ToOne("country", \.country, Place.mapping)
    }
  }

  final class CountryFirst: Address {
    static let mapping = Mapping(CountryFirst.self, "Address", primaryKey: "id", make: { CountryFirst() }) {
      ToOne("country", \.country, Place.mapping)
      ToOne("city", \.city, Place.mapping)
      ToMany("shops", \.shops, Place.mapping, policy: .replace)
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("zip", \.zip)
    }
  }

  private static let stores: [StoreKind] = StoreKind.allCases

  /// An address as its mapping reads it, with how the context does the work of this suite.
  struct Form: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let open: @Sendable (StoreKind) throws -> (World, ObjectContext)
    let read: @Sendable (ObjectContext) throws -> Address?
    let load: @Sendable (ObjectContext, Address) throws -> Void
    let importJSON: @Sendable (ObjectContext, String) throws -> Void
  }

  private static func form<A: Address>(_ name: String, _ mapping: Mapping<A>) -> Form {
    Form(
      testDescription: name,
      open: { kind in
        let world = try World(kind, mapping, holding: #"{"id":1,"country":{"id":3}}"#)
        try world.load(#"{"id":1,"name":"a","zip":"z","city":{"id":2},"shops":[{"id":5},{"id":6}]}"#)
        return (world, try ObjectContext(world.store, for: mapping))
      },
      read: { try $0.object(mapping, key: 1, including: \.city, \.shops, \.country) },
      load: { context, address in
        guard let address = address as? A else { return }
        try context.load(\.city, \.shops, of: [address])
        try context.load(\.country, of: [address])
      },
      importJSON: { _ = try $0.importJSON($1, as: mapping) })
  }

  static let forms = [form("country last", CountryLast.mapping), form("country first", CountryFirst.mapping)]

  private static let stored = #"Address 1 name="b" zip="z" city=2 shops=[5 6] country="#

  /// Changes the name, saves and compares the stored object.
  private static func saveTheName(
    _ world: World, _ context: ObjectContext, _ address: Address, country: Int
  ) throws {
    #expect(try !context.hasChanges())
    address.name = "b"
    #expect(try summary(context.save()) == "Address ~1")
    #expect(try !context.hasChanges())
    let dump = try #require(try world.dump(of: "Address 1"))
    #expect(Set(dump.split(separator: " ")) == Set("\(stored)\(country)".split(separator: " ")))
    #expect(try world.dump(of: "Place 5") != nil)
  }

  /// How the context sets properties.
  enum Setting: CaseIterable { case read, load, refresh, save, importing }

  @Test(arguments: stores, forms)
  func valuesThatTheContextShowsAreNoEdits(_ kind: StoreKind, _ form: Form) throws {
    for setting in Setting.allCases {
      let (world, context) = try form.open(kind)
      let address = try #require(try form.read(context))
      let theirs = #"{"id":1,"country":{"id":4}}"#
      switch setting {
      case .read: break
      case .load: try form.load(context, address)
      case .refresh:
        try world.load(theirs)
        try context.refreshAll()
      case .save:
        try world.load(theirs)
        address.name = "c"
        try context.save()
      case .importing: try form.importJSON(context, theirs)
      }
      let country = setting == .read || setting == .load ? 3 : 4
      #expect(address.country?.id == country, "\(setting)")
      try Self.saveTheName(world, context, address, country: country)
    }
  }

  /// The other properties are set again behind the one whose observer empties them.
  @Test(arguments: StoreKind.allCases, forms)
  func aRollBackRestoresPropertiesEmptiedByObservers(_ kind: StoreKind, _ form: Form) throws {
    let (world, context) = try form.open(kind)
    let address = try #require(try form.read(context))
    (address.zip, address.city, address.shops) = ("z", nil, [])
    try context.rollBack()
    let before = try world.dump(of: "Address 1")
    let seen = (address.zip, address.city?.id, address.shops.map(\.id))
    address.country = Place()
    try context.rollBack()
    #expect((address.zip, address.city?.id, address.shops.map(\.id)) == seen)
    #expect(address.country?.id == 3)
    #expect(try !context.hasChanges())
    #expect(try summary(context.save()) == "")
    #expect(try world.dump(of: "Address 1") == before)
  }

  // MARK: Relationships that were not asked for

  final class Album {
    var id = 0
    var title = ""
    var cover: Place?
    var recent: [Place] = []
    var songs: [Place] = [] {
      didSet {
        cover = songs.first
        recent = songs.suffix(1)
      }
    }
    static let mapping = Mapping(Album.self, "Album", primaryKey: "id", make: { Album() }) {
      Attribute("id", \.id)
      Attribute("title", \.title)
      ToOne("cover", \.cover, Place.mapping)
      ToMany("recent", \.recent, Place.mapping)
      ToMany("songs", \.songs, Place.mapping)
    }
  }

  @Test(arguments: stores)
  func unloadedTargetsShownByObserversAreNoEdit(_ kind: StoreKind) throws {
    let world = try World(kind, Album.mapping, holding: #"{"id":1,"songs":[{"id":1},{"id":2}]}"#)
    try world.load(#"{"id":1,"title":"a","cover":2,"recent":[1,2]}"#)
    let context = try ObjectContext(world.store, for: Album.mapping)
    let album = try #require(try context.object(Album.mapping, key: 1, including: \.songs))
    #expect(try !context.hasChanges())
    #expect(try !context.isLoaded(\.cover, of: album))
    album.title = "b"
    try context.save()
    let stored = #"Album 1 title="b" cover=2 recent=[1 2] songs=[1 2]"#
    #expect(try world.dump(of: "Album 1") == stored)
    try context.load(\.cover, \.recent, of: [album])
    #expect((album.cover?.id, album.recent.map(\.id)) == (2, [1, 2]))
    #expect(try !context.hasChanges())
    #expect(try summary(context.save()) == "")
    // The caller's own edits are saved, whatever the observer makes of them.
    album.songs.removeFirst()
    try context.save()
    #expect(try world.dump(of: "Album 1") == #"Album 1 title="b" cover=2 recent=[2] songs=[2]"#)
  }

  @Test(arguments: stores)
  func anEditOfAnObservedToManyThatIsNotLoadedIsRefused(_ kind: StoreKind) throws {
    let world = try World(kind, Album.mapping, holding: #"{"id":1,"songs":[{"id":1},{"id":2}]}"#)
    let context = try ObjectContext(world.store, for: Album.mapping)
    let album = try #require(try context.object(Album.mapping, key: 1, including: \.songs))
    album.recent = []
    #expect(throws: ContextError.notLoaded(entity: "Album", key: 1, title: "Album 1", relationship: "recent"))
    {
      try context.save()
    }
  }

  // MARK: Other objects

  final class Node {
    var id = 0
    var name = ""
    var count = 0
    var parent: Node? {
      didSet {
        if let parent, !parent.children.contains(where: { $0 === self }) { parent.children.append(self) }
      }
    }
    var children: [Node] = []
    var kids: [Node] = [] {
      didSet {
        count = kids.count
        for kid in kids { kid.parent = self }
      }
    }
    static let mapping: Mapping<Node> = Mapping(Node.self, "Node", primaryKey: "id", make: { Node() }) {
      Attribute("id", \.id)
      Attribute("name", \.name)
      Attribute("count", \.count)
      ToOne("parent", \.parent, Node.mapping)
      ToMany("kids", \.kids, Node.mapping)
      ToMany("children", \.children, inverseOf: \.parent, of: Node.mapping)
    }
  }

  private static func nodes(_ kind: StoreKind) throws -> (World, ObjectContext) {
    let world = try World(kind, Node.mapping)
    try world.load(#"[{"id":1,"kids":[{"id":2},{"id":3}]},{"id":2,"parent":1},{"id":3,"parent":{"id":4}}]"#)
    try world.load(#"{"id":1,"count":7}"#)
    return (world, try ObjectContext(world.store, for: Node.mapping))
  }

  @Test(arguments: stores)
  func observersOfOtherObjectsDoNotEdit(_ kind: StoreKind) throws {
    let (world, context) = try Self.nodes(kind)
    let one = try #require(try context.object(Node.mapping, key: 1, including: \.kids))
    #expect(try !context.hasChanges())
    try world.load(#"{"id":2,"parent":5}"#)
    one.kids[0].name = "b"
    #expect(try summary(context.save()) == "Node ~1")
    #expect(try world.dump(of: "Node 2")?.contains("parent=5") == true)
    #expect(try world.dump(of: "Node 3")?.contains("parent=4") == true)
    #expect(try !context.hasChanges())
  }

  @Test(arguments: stores)
  func observersDoNotEditWhenASaveRemovesADeletedTarget(_ kind: StoreKind) throws {
    let (world, context) = try Self.nodes(kind)
    let one = try #require(try context.object(Node.mapping, key: 1, including: \.kids.parent))
    #expect(try !context.hasChanges())
    try context.delete(one.kids[0])
    try context.save()
    #expect((one.kids.map(\.id), one.count) == ([3], 1))
    #expect(try !context.hasChanges())
    #expect(try summary(context.save()) == "")
    #expect(try world.dump(of: "Node 1")?.contains("count=7") == true)
  }
}
