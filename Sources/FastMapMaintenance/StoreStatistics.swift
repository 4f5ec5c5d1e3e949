/// The number of objects in a store, and their sizes.
///
///     let statistics = try store.statistics()
///     for entity in statistics.entities { print(entity.name, entity.objectCount) }
public struct StoreStatistics: Equatable, Sendable {
  /// The numbers of one entity.
  ///
  ///     print(entity.name, entity.objectCount, entity.bytes)
  public struct Entity: Equatable, Sendable {
    /// The name in the mappings.
    public let name: String
    /// The number of objects, with or without a primary key.
    public let objectCount: Int
    /// The number of objects with a primary key.
    package let keyedCount: Int
    /// The size in bytes: in a file of the pages with its records, keys, links and index entries; on a server of its
    /// tables and their indexes.
    public let bytes: Int
    /// The parts of that size; nil for a store on a server.
    package let parts: Parts?
    /// Its indexes, in the order in which they were built.
    public let indexes: [Index]

    package init(
      name: String, objectCount: Int, keyedCount: Int, bytes: Int, parts: Parts? = nil, indexes: [Index]
    ) {
      self.name = name
      self.parts = parts
      self.objectCount = objectCount
      self.keyedCount = keyedCount
      self.bytes = bytes
      self.indexes = indexes
    }
  }

  /// The sizes of the parts of an entity in a file, in bytes: of their entries, with the share of the pages around them.
  package struct Parts: Equatable, Sendable {
    /// The values of the objects, and their primary keys.
    package let records: Int
    /// The way from an object's number to its primary key.
    package let keys: Int
    /// The lists of the objects, and the references to them.
    package let links: Int
    /// The entries of the indexes.
    package let indexes: Int

    /// All of them.
    package var bytes: Int { records + keys + links + indexes }

    package init(records: Int, keys: Int, links: Int, indexes: Int) {
      (self.records, self.keys, self.links, self.indexes) = (records, keys, links, indexes)
    }
  }

  /// An index of an entity, with an entry for each object.
  ///
  ///     print(index.name, index.isUnique)
  public struct Index: Equatable, Sendable {
    /// Its name: `status,-created_at`.
    public let name: String
    /// Whether no two objects may have the same values.
    public let isUnique: Bool

    package init(name: String, isUnique: Bool) {
      self.name = name
      self.isUnique = isUnique
    }
  }

  /// The file of a store in a directory.
  ///
  ///     if let file = try store.statistics().file { print(file.size, file.freeBytes) }
  public struct File: Equatable, Sendable {
    /// The size that the newest commit uses in bytes, including free pages.
    public let size: Int
    /// The size of the pages in use, in bytes.
    public let liveBytes: Int
    /// The size of the free pages, in bytes. They will be reused.
    package var freeBytes: Int { max(0, size - liveBytes) }
    /// The maximum size of the store before it grows, in bytes.
    package let mapSize: Int
    /// The number of the newest commit.
    public let commitCount: Int

    package init(size: Int, liveBytes: Int, mapSize: Int, commitCount: Int) {
      self.size = size
      self.liveBytes = liveBytes
      self.mapSize = mapSize
      self.commitCount = commitCount
    }
  }

  /// All entities that were ever stored, in the order of their addition.
  public let entities: [Entity]
  /// The file; nil for a store on a server.
  public let file: File?

  /// The size of all entities, in bytes.
  package var bytes: Int { entities.reduce(0) { $0 + $1.bytes } }
  /// The size of the pages in use that belong to no entity, in bytes: layouts, headers, and the list of free pages.
  package var layoutBytes: Int { max(0, (file?.liveBytes ?? 0) - bytes) }

  package init(entities: [Entity], file: File? = nil) {
    self.entities = entities
    self.file = file
  }
}
