// Exports of any size in little memory. Text is passed on between two objects once it has 64 KiB, and within an
// object once it has 1 MiB. The serializer remembers the objects that the current root object reaches. Only
// `repeatAsKey` in one array must remember all objects.
extension Serializer {
  /// Writes the objects of a query, in its order, or all objects of the serializer's mapping.
  ///
  ///     let report = try store.read(plan.schema) { reader in
  ///       try serializer.export(from: &reader) { try file.write($0) }
  ///     }
  ///     try store.read(serializer.plan) { snapshot in
  ///       try serializer.export(Person.mapping.where { $0.age >= 18 }, from: &snapshot.reader) { text += $0 }
  ///     }
  ///
  /// Where all objects are written, an object that others of the entity own, directly or through objects without a key, is
  /// written only within its owner. An object that belongs to an object with a key of another entity also has a line of its own.
  /// An import reads that line as a second object. With keys, a filter or an order, every object of the query has a line of its
  /// own.
  ///
  /// - Parameters:
  ///   - query: A query of a mapping of the entity that the serializer writes. By default all objects, ascending by key. Objects
  ///     without a key follow, in the order in which they were created.
  ///   - reader: Of any schema, borrowed for the call. The reader has the numbers of ``plan`` afterwards.
  ///   - options: The format of the text.
  ///   - sink: Receives the text in pieces of at least 64 KiB, except the last one. Pieces begin and end between
  ///     objects, but an object of more than 1 MiB is split. A piece is borrowed for the call. An error from `sink`
  ///     ends the export.
  /// - Returns: The number of objects and bytes.
  /// - Throws: ``ExportError`` for an object with a value that cannot be written as JSON, or with more text than
  ///   ``SerializerOptions/maxObjectBytes``. ``FilterError``, ``NoSuchObjectError``, errors of the reader, of `sink` and of
  ///   `onProgress`. `sink` has received only whole objects then, and perhaps the beginning of an object of more than 1 MiB.
  /// - Complexity: O(*n*) in the objects written.
  @discardableResult
  public func export<R: StoreReader>(
    _ query: (any QueryConvertible)? = nil, from reader: inout R, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    try export(request(for: query), from: &reader, options, sink)
  }

  /// The objects that an export writes.
  enum Request: Sendable {
    /// The first objects of the table, without owned ones.
    case table(limit: Int)
    case query(BoundQuery)
  }

  func request(for query: (any QueryConvertible)?) throws -> Request {
    guard let query else {
      return plan.rootKind == nil ? .table(limit: .max) : .query(try plan.query.bound(to: plan))
    }
    return try request(of: query)
  }

  private func request(of query: some QueryConvertible) throws -> Request {
    let query = query.query
    try check(query)
    return query.isWhole && plan.rootKind == nil
      ? .table(limit: query.most ?? .max) : .query(try query.bound(to: plan))
  }

  func export<R: StoreReader>(
    _ request: Request, from reader: inout R, _ options: ExportOptions,
    _ sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    try reader.use(plan.schema)
    return switch request {
    case .table(let limit): try exportTable(from: &reader, limit: limit, options: options, to: sink)
    case .query(let query): try export(query, &reader, options, sink) { _, _ in }
    }
  }

  /// Writes the objects of the plan's first mapping, sorted by key, without owned ones.
  ///
  /// - Parameters:
  ///   - keys: The keys to export. By default, all objects are exported, with or without a key.
  ///   - limit: The maximum number of objects.
  @discardableResult
  package func exportTable<R: StoreReader>(
    from reader: inout R, keys: KeyRange? = nil, limit: Int = .max, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    try reader.use(plan.schema)
    if plan.rootKind != nil {
      let query = (keys.map { plan.query.keys($0) } ?? plan.query).limit(limit)
      return try export(try query.bound(to: plan), &reader, options, sink) { _, _ in }
    }
    let owned = keys == nil ? try ownedRoots(&reader) : []
    return try exportTable(&reader, keys, limit, without: owned, options, sink)
  }

  private func exportTable<R: StoreReader>(
    _ reader: inout R, _ keys: KeyRange?, _ limit: Int, without owned: Set<ObjectID>,
    _ options: ExportOptions,
    _ sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    let entity = plan.mappings[0].entity
    var total: Int?
    if options.onProgress != nil, keys == nil, owned.isEmpty {
      total = min(limit, try reader.count(of: entity))
    }
    var stream = try ExportStream(self, options, totalObjects: total)
    if limit > 0 {
      let pageSize = min(limit, PageSize.ofObjects(in: reader))
      // A page is written once the next one is known, so that a store can read ahead.
      var page: [ObjectID] = []
      try reader.forEachPage(of: entity, keys: keys, isDescending: false, pageSize: pageSize) {
        reader, next in
        var ids = next.ids
        if !owned.isEmpty {
          ids = next.ids.indices.filter { next.keys[$0] != nil || !owned.contains(next.ids[$0]) }
            .map { next.ids[$0] }
        }
        if !page.isEmpty { try stream.add(page, before: ids, upTo: limit, &reader, sink) }
        page = ids
        if !reader.prefersSets || limit - stream.report.objects <= page.count {
          try stream.add(page, upTo: limit, &reader, sink)
          page = []
        }
        return stream.report.objects < limit
      }
      if !page.isEmpty { try stream.add(page, upTo: limit, &reader, sink) }
    }
    return try stream.end(sink)
  }

  /// - Parameter note: Called with the last object of each page of results.
  private func export<R: StoreReader>(
    _ query: BoundQuery, _ reader: inout R, _ options: ExportOptions,
    _ sink: (UnsafeRawBufferPointer) throws -> Void, _ note: (ObjectID, PrimaryKey?) -> Void
  ) throws -> ExportReport {
    var run = QueryRun(query)
    var stream = try ExportStream(self, options, totalObjects: nil)
    // A page is written once the next one is known, so that a store can read ahead.
    var waiting: [ObjectID] = []
    try run.forEachPage(&reader) { reader, page in
      if let id = page.ids.last, let key = page.keys.last { note(id, key) }
      guard reader.prefersSets else {
        try stream.add(page.ids, &reader, sink)
        return true
      }
      if !waiting.isEmpty { try stream.add(waiting, before: page.ids, upTo: .max, &reader, sink) }
      waiting = page.ids
      return true
    }
    if !waiting.isEmpty { try stream.add(waiting, upTo: .max, &reader, sink) }
    return try stream.end(sink)
  }

  /// Writes the objects of a query, and returns the position after the last one, as
  /// ``Snapshot/page(_:including:depth:unreadable:)`` does.
  package func exportPage<Source: PlanSource, R: StoreReader>(
    _ query: Query<Source>, from reader: inout R, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Position? {
    try check(query)
    try reader.use(plan.schema)
    let bound = try query.pageable(in: plan)
    var last = ObjectPage()
    _ = try export(bound, &reader, options, sink) { id, key in last = ObjectPage(ids: [id], keys: [key]) }
    return try reader.position(behind: last, of: bound, query)
  }

  private func check<Source: PlanSource>(_ query: Query<Source>) throws {
    let asked = try query.source.plan()
    let entity = query.entity ?? asked.root.entity
    guard entity.utf8.elementsEqual(plan.root.entity.utf8) else {
      throw FilterError(
        .init(.unknown, "expected a query of \(escaped(plan.root.entity)), found one of \(escaped(entity))"))
    }
  }

  /// Writes selected objects of the plan's first mapping.
  ///
  /// - Parameters:
  ///   - ids: The objects, in order, taken from the sequence one at a time, or in portions from a store that prefers
  ///     sets. Objects that are not stored are left out.
  ///   - reader: Of any schema, borrowed for the call. The reader has the numbers of ``plan`` afterwards.
  ///   - options: The format of the text.
  ///   - sink: As in ``export(_:from:options:to:)``.
  /// - Returns: The number of objects and bytes.
  /// - Throws: As ``export(_:from:options:to:)``.
  @discardableResult
  package func export<R: StoreReader>(
    _ ids: some Sequence<ObjectID>, from reader: inout R, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    try reader.use(plan.schema)
    // A cast to an array is quick. One to any collection asks for all conformances of the program, once.
    let count = (ids as? [ObjectID])?.count ?? (ids as? any Collection)?.count
    var stream = try ExportStream(self, options, totalObjects: count)
    try stream.add(ids, &reader, sink)
    return try stream.end(sink)
  }

  /// Writes instances of your own class.
  ///
  /// - Parameters:
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, read one at a time. Written
  ///     instances are not kept, except under ``SerializerOptions/Cycles/repeatAsKey``.
  ///   - options: The format of the text.
  ///   - sink: As in ``export(_:from:options:to:)``.
  /// - Returns: The number of objects and bytes.
  /// - Throws: As ``export(_:from:options:to:)``; also for an instance of another class.
  @discardableResult
  public func export<Object: AnyObject>(
    _ objects: some Sequence<Object>, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    var reader = try InstanceReader(plan)
    var stream = try ExportStream(self, options, totalObjects: (objects as? any Collection)?.count)
    for object in objects {
      try stream.add(reader.number(of: object), &reader, sink)
      if self.options.cycles != .repeatAsKey || options.format == .ndjson { reader.forget() }
    }
    return try stream.end(sink)
  }
}
