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
    /// The size in bytes: in a file of its records, without the tree around them; on a server of its tables and their
    /// indexes.
    public let bytes: Int
    /// Its indexes, in the order in which they were built.
    public let indexes: [Index]

    package init(name: String, objectCount: Int, keyedCount: Int, bytes: Int, indexes: [Index]) {
      self.name = name
      self.objectCount = objectCount
      self.keyedCount = keyedCount
      self.bytes = bytes
      self.indexes = indexes
    }
  }

  /// An index of an entity. It has an entry for each object.
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

  package init(entities: [Entity], file: File? = nil) {
    self.entities = entities
    self.file = file
  }
}
