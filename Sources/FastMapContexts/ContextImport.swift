internal import CFastMap

/// An import into a context. The context then reads its objects again.
///
///     import ──check──▶ commit ──findNew──▶ new instances that are stored now ──▶ refresh of all
// @unchecked: the context refuses other uses while it is on a thread, and the transaction reads no instance.
final class ContextImport: ImportObserver, @unchecked Sendable {
  private let graph: ContextGraph
  let imported: Plan
  /// The instance that the root object is read into.
  private let filled: ContextMember?
  private let filledKey: PrimaryKey?
  /// The new instances that have a key, by entity.
  private var keyed: [Int: [(member: ContextMember, key: PrimaryKey)]] = [:]
  /// The root objects, in payload order.
  private(set) var roots: [ObjectID] = []
  /// A new instance whose object is stored now. The filled one has no key here.
  typealias Adopted = (member: ContextMember, id: ObjectID, key: PrimaryKey?)
  private(set) var adopted: [Adopted] = []
  /// The fields that the payload has for the new instance that it fills.
  private var rootFields: Set<Int> = []
  /// The new instance that is filled, as it was before the import.
  private var start: InstanceState?

  /// - Parameter filled: An instance of the context, stored or inserted.
  /// - Throws: ``ContextError`` or ``UnknownNameError`` for edits that no save could write.
  init(_ graph: ContextGraph, of imported: Plan, filling filled: AnyObject? = nil) throws {
    self.graph = graph
    self.imported = imported
    self.filled = filled.flatMap { graph.member(of: $0) ?? graph.inserted.member(of: $0) }
    let changes = try ContextChanges(graph)
    var keys = NewObjectKeys(changes)
    filledKey = self.filled.flatMap { keys.key(of: $0) }
    for member in changes.new.map(\.member) where member.instance !== filled {
      if let key = keys.key(of: member) { keyed[member.entity, default: []].append((member, key)) }
    }
    if let filled = self.filled, filled.isNew { start = try InstanceState(filled, in: graph) }
  }

  func run(
    _ json: some JSONSource & ~Escapable, _ options: ImportOptions, in store: any Store
  ) throws -> ImportReport {
    let start = ContinuousClock.now
    var options = options
    if filled != nil { options.commitInterval = nil }
    return try json.withInput { input throws -> ImportReport in
      defer { options.progress?.end() }
      let source = try RootSource(input, plan: imported, options: options, isOne: filled != nil)
      let importer = try Importer(
        plan: imported, options: options, source: RootSources(source, plan: imported, options: options),
        totalBytes: input.byteCount, keepsRoots: true,
        observer: self)
      let report = try Mapper(store).report(of: importer, imported, options, since: start)
      roots = importer.remainingRoots
      return report
    }
  }

  /// The fields that a filled new instance shows as the payload has them. The caller has not set them meanwhile.
  func answered(_ member: ContextMember) throws(SystemError) -> Set<Int> {
    guard member === filled, let start else { return [] }
    return rootFields.subtracting(try start.changes(of: member, in: graph))
  }

  func observe(_ unit: ImportUnit) {
    guard let filled, filled.isNew else { return }
    rootFields = []
    let (fields, known) = (
      imported.schema.entities[imported.mappings[0].entity].fields,
      graph.schema.entities[filled.entity].fields
    )
    for index in 0..<unit.occurrenceCount where unit.occurrence(index).owner == FASTMAP_NONE {
      guard let row = unit.occurrence(index).row else { continue }
      for (field, layout) in fields.enumerated() where row[field].tag != FASTMAP_MISSING {
        if let place = known.firstIndex(where: { NameIndex.isSame($0.name, layout.name) }) {
          rootFields.insert(place)
        }
      }
    }
  }

  /// Checks before the commit that the payload is about the filled instance.
  func check<R: StoreReader>(_ roots: [ObjectID], in reader: inout R) throws {
    guard let filled, let root = roots.first, filled.id != root else { return }
    let name = graph.schema.entities[filled.entity].name
    if filled.isNew {
      if let known = graph[filled.entity].present(root) {
        throw ContextError.otherInstance(entity: name, key: graph.key(of: known))
      }
      if filledKey == nil { return }
    }
    let entity = imported.mappings[0].entity
    var found: PrimaryKey?
    try reader.copyRows([root], of: entity, fields: imported.schema.entities[entity].fields.count) {
      [imported] _, row in
      found = imported.traits.keyFields[entity].lazy.compactMap { PrimaryKey(slot: row.slots[$0]) }.first
    }
    if filled.isNew, found == filledKey { return }
    throw ContextError.otherObject(entity: name, expected: filledKey, found: found)
  }

  /// Finds the objects of new instances, once the import is stored.
  func findNew<R: StoreReader>(from reader: inout R) throws {
    adopted = []
    if let filled, filled.isNew, let root = roots.first { adopted.append((filled, root, nil)) }
    for (entity, members) in keyed.sorted(by: { $0.key < $1.key }) {
      let ids = try reader.find(members.map(\.key), of: entity)
      for (id, (member, key)) in zip(ids, members) {
        if let id { adopted.append((member, id, key)) }
      }
    }
  }

  /// The objects to read after the import: all with their loaded relationships, and adopted ones with all relationships.
  ///
  /// - Parameter wanted: The root objects that are asked for.
  func shown(with wanted: ObjectContext.Wanted?) -> [GatheredReader.Root] {
    let new = Dictionary(grouping: adopted, by: \.member.entity).map { number, adopted in
      GatheredReader.Root(
        entity: number, ids: adopted.map(\.id).sortedUnique(),
        tree: IncludeTree(graph[number].links.indices.map { [$0] }))
    }
    let returned = wanted.map { [GatheredReader.Root(entity: $0.entity, ids: roots, tree: $0.tree)] } ?? []
    return graph.roots(of: graph.all.filter { !$0.isGone }) + new + returned
  }
}
