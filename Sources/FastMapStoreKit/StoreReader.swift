/// Reads from a snapshot of a store.
///
///     let id = try store.read(plan.schema) { reader in try reader.find(314, of: 0) }
///
/// Entities and fields are numbers: their positions in the schema of the read. Questions are about sets of objects, so
/// that a store on another machine answers each in one round trip.
public protocol StoreReader {
  /// Switches to the numbers of another schema, in the same snapshot.
  ///
  /// - Throws: The store's own error if the stored objects do not match the schema. The reader keeps its previous
  ///   schema then.
  mutating func use(_ schema: Schema) throws

  /// The entities that the store has, with all their fields, indexes, and the fields of their keys. `dump` needs them.
  ///
  /// Nil, as by default, if the store cannot tell.
  mutating func storedSchema() throws -> Schema?

  /// The objects with the given keys; nil for each key without an object.
  ///
  /// - Parameters:
  ///   - keys: In any order, with or without repeats.
  ///   - entity: The number of the entity.
  /// - Returns: As many results as `keys`, in the same order.
  mutating func find(_ keys: [PrimaryKey], of entity: Int) throws -> [ObjectID?]

  /// Lends the attributes and to-one targets of objects to `body`, one object after the other, in any order.
  ///
  /// To-many fields stay missing; ``targets(of:entity:fields:)`` reads them. Objects that are not stored are left out.
  /// A field that the store does not have yet has its default.
  ///
  /// - Parameters:
  ///   - ids: In any order. `body` is called once for each repeat.
  ///   - entity: The number of the entity. An object of another entity counts as not stored.
  ///   - body: Receives the position in `ids`, and the object, valid until it returns. The closure must not use the reader.
  mutating func read(_ ids: [ObjectID], of entity: Int, _ body: (_ index: Int, Row) throws -> Void) throws

  /// The targets of relationships of each of `owners`, in their stored order.
  ///
  /// - Parameters:
  ///   - owners: In any order, with or without repeats.
  ///   - entity: The number of their entity.
  ///   - fields: Relationships to one or to many.
  /// - Returns: For each field, the targets of each owner; empty for an owner that is not stored.
  mutating func targets(of owners: [ObjectID], entity: Int, fields: [Int]) throws -> [[[ObjectID]]]

  /// The objects that have each of `targets` in a relationship: the question of ``targets(of:entity:fields:)`` the
  /// other way round.
  ///
  /// The default implementation goes through all objects of the entity. A store that knows who refers to an object
  /// answers from that.
  ///
  /// - Parameters:
  ///   - targets: In any order, with or without repeats.
  ///   - entity: The number of the entity that has the relationship.
  ///   - field: A relationship of this entity, to one or to many.
  /// - Returns: For each target, the objects in the order of ``forEachPage(of:keys:isDescending:pageSize:_:)``, each
  ///   once; empty for a target that is not stored.
  mutating func owners(of targets: [ObjectID], entity: Int, field: Int) throws -> [[ObjectID]]

  /// The first of ``owners(of:entity:field:)`` of each target; nil for a target without one.
  ///
  /// The default implementation reads all of them.
  mutating func firstOwners(of targets: [ObjectID], entity: Int, field: Int) throws -> [ObjectID?]

  /// Calls `body` with pages of the objects of an entity until it returns false.
  ///
  /// Objects with a key come first, ascending. Objects without one follow in the order of creation. A descending order
  /// is the exact reverse.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: The keys to visit; nil for all objects, with a key or without.
  ///   - isDescending: Whether to go in reverse.
  ///   - pageSize: The most objects of a page, at least 1.
  ///   - body: Receives the reader, and a page of at least one object. False ends the iteration. In a write, `body` may
  ///     update objects but not insert or delete, because a store may read ahead.
  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool) throws

  /// Calls `body` with pages of the objects of ``forEachPage(of:keys:isDescending:pageSize:_:)`` that a test includes.
  ///
  /// The default implementation reads the objects of each page. A store that can lend objects while it visits them does so.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: The keys to visit; nil for all objects, with a key or without.
  ///   - isDescending: Whether to go in reverse.
  ///   - pageSize: The most objects of a page that are included, at least 1.
  ///   - test: Tests each object. The store lends it the fields that it names.
  ///   - body: Receives the reader, and a page of at least one object. False ends the iteration.
  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, isDescending: Bool, pageSize: Int,
    where test: RowTest, _ body: (inout Self, ObjectPage) throws -> Bool) throws

  /// Calls `body` with each object that ``forEachPage(of:keys:isDescending:pageSize:_:)`` visits, until it returns false.
  ///
  /// The default implementation goes through the pages. A store that can hand out objects without pages does so.
  mutating func forEachObject(
    of entity: Int, keys: KeyRange?, isDescending: Bool,
    _ body: (inout Self, ObjectID, PrimaryKey?) throws -> Bool) throws

  /// The number of objects of an entity.
  mutating func count(of entity: Int) throws -> Int

  /// The number of objects whose keys are in a range.
  ///
  /// The default implementation goes through the pages.
  mutating func count(of entity: Int, keys: KeyRange) throws -> Int

  /// The indexes of an entity that the store keeps, as far as the schema has all their fields.
  ///
  /// A store that keeps indexes numbers the objects of each entity in the order of their creation, or tests filters itself (``canTest(_:of:)``).
  ///
  /// The default is none.
  mutating func indexes(of entity: Int) throws -> [Schema.Index]

  /// Calls `body` with pages of the objects in a range of an index until it returns false.
  ///
  /// Objects are in the order of the index, or with all its fields in reverse. Objects without a value come first in an
  /// ascending field. Equal objects ascend by key in both directions. Objects without a key follow in the order of
  /// creation. A store may add objects outside the range whose long strings begin alike. A string is long above 64
  /// bytes, and above 352 / *n* - 11 bytes in an index of *n* fields. A zero byte counts twice.
  ///
  /// - Parameters:
  ///   - index: An index that ``indexes(of:)-(Int)`` returned.
  ///   - entity: The number of the entity.
  ///   - range: The objects to visit.
  ///   - isDescending: Whether the fields are in reverse.
  ///   - position: Only objects after it are visited; nil for all.
  ///   - pageSize: The most objects of a page, at least 1.
  ///   - body: Receives the reader, and a page of at least one object. False ends the iteration. In a write, `body` may
  ///     update objects but not insert or delete, and need not see its own changes.
  mutating func forEachPage(
    in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?, pageSize: Int, _ body: (inout Self, ObjectPage) throws -> Bool)
    throws

  /// Calls `body` with pages of the objects in a range of an index that a test includes.
  ///
  /// The default implementation reads the objects of each page.
  ///
  /// - Parameters:
  ///   - index: An index that ``indexes(of:)-(Int)`` returned.
  ///   - entity: The number of the entity.
  ///   - range: The objects to visit.
  ///   - isDescending: Whether the fields are in reverse.
  ///   - position: Only objects after it are visited; nil for all.
  ///   - pageSize: The most objects of a page that are included, at least 1.
  ///   - test: Tests each object. The store lends it the fields that it names.
  ///   - body: Receives the reader, and a page of at least one object. False ends the iteration.
  mutating func forEachPage(
    in index: Schema.Index, of entity: Int, range: IndexRange, isDescending: Bool,
    after position: IndexRange.Position?, pageSize: Int, where test: RowTest,
    _ body: (inout Self, ObjectPage) throws -> Bool) throws

  /// Calls `body` with pages of the objects in some ranges of an index that a test includes, in the order of their keys.
  ///
  /// The default implementation collects their numbers and keys first.
  ///
  /// - Parameters:
  ///   - index: An index that ``indexes(of:)-(Int)`` returned.
  ///   - entity: The number of the entity.
  ///   - ranges: The objects to visit. No object is in two of them.
  ///   - pageSize: The most objects of a page, at least 1.
  ///   - test: Tests each object. The store lends it the fields that it names.
  ///   - body: Receives the reader, and a page of at least one object. False ends the iteration.
  mutating func forEachPageByKey(
    in index: Schema.Index, of entity: Int, ranges: [IndexRange], pageSize: Int,
    where test: RowTest, _ body: (inout Self, ObjectPage) throws -> Bool) throws

  /// The number of objects in a range of an index, or `limit` if there are more.
  ///
  /// The default implementation goes through the pages.
  mutating func count(in index: Schema.Index, of entity: Int, range: IndexRange, limit: Int) throws -> Int

  /// Whether the store can tell exactly for which objects a condition is true, as ``BoundFilter`` defines it.
  ///
  /// FastMap then leaves that part of a filter to the store, and tests the rest itself. The answer depends on the
  /// condition and the schema only. The answer costs no round trip, and is false for a field with a default that the
  /// store does not have yet.
  ///
  /// The default is false: FastMap then looks at the objects.
  mutating func canTest(_ condition: BoundFilter.Condition, of entity: Int) throws -> Bool

  /// As ``forEachPage(of:keys:isDescending:pageSize:_:)``, but only with objects for which a condition is true.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: The keys to visit; nil for all objects, with a key or without.
  ///   - condition: A condition for which ``canTest(_:of:)`` returned true.
  ///   - isDescending: Whether to go in reverse.
  ///   - pageSize: The most objects of a page, at least 1.
  ///   - body: Receives the reader, and a page of at least one object. False ends the iteration.
  mutating func forEachPage(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, isDescending: Bool,
    pageSize: Int,
    _ body: (inout Self, ObjectPage) throws -> Bool) throws

  /// The number of objects for which a condition is true, or `limit` if there are more.
  ///
  /// The default implementation goes through the pages.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: Their keys; nil for all objects, with a key or without.
  ///   - condition: A condition for which ``canTest(_:of:)`` returned true.
  ///   - limit: The greatest number of interest, at least 1.
  mutating func count(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition, limit: Int
  ) throws -> Int

  /// The objects for which a condition is true, sorted by attributes.
  ///
  /// Objects without a value come first in an ascending field. Equal objects ascend by key. Objects without a key
  /// follow in the order of creation.
  ///
  /// - Parameters:
  ///   - entity: The number of the entity.
  ///   - keys: Their keys; nil for all objects, with a key or without.
  ///   - condition: A condition for which ``canTest(_:of:)`` returned true.
  ///   - parts: Attributes, none of them of the kind `json`.
  ///   - limit: The most objects, at least 1.
  /// - Returns: Nil, as by default, if the store does not sort.
  mutating func objects(
    of entity: Int, keys: KeyRange?, where condition: BoundFilter.Condition,
    sortedBy parts: [Schema.Index.Part],
    limit: Int
  ) throws -> ObjectPage?

  /// The object with a key; nil if there is none.
  ///
  /// The default implementation asks for a set of one.
  mutating func find(_ key: PrimaryKey, of entity: Int) throws -> ObjectID?

  /// Lends an object to `body`, with its attributes and to-one targets.
  ///
  /// The default implementation reads a set of one. A store that can decode single fields uses
  /// ``Row/lend(count:decoding:to:)``.
  ///
  /// - Returns: The result of `body`; nil if no such object is stored.
  mutating func withRow<R>(_ id: ObjectID, of entity: Int, _ body: (Row) throws -> R) throws -> R?

  /// Fills `buffer` with the attributes and to-one targets of an object. The previous content of the buffer is
  /// removed.
  ///
  /// The default implementation copies the row of ``withRow(_:of:_:)``.
  ///
  /// - Returns: False if no such object of this entity is stored.
  mutating func read(_ id: ObjectID, of entity: Int, into buffer: inout RowBuffer) throws -> Bool

  /// The targets of one relationship of one object, in order; empty for an object that is not stored.
  ///
  /// The default implementation asks for a set of one.
  mutating func targets(of owner: ObjectID, entity: Int, field: Int) throws -> [ObjectID]

  /// Whether a call costs much more than its answer. The same as in the ``StoreCapabilities`` of the store,
  /// for calls that know the reader only.
  ///
  /// False by default.
  var prefersSets: Bool { get }
}
