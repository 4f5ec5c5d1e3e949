extension Serializer {
  /// Writes the objects of a query, in its order.
  ///
  ///     let serializer = Serializer(try Person.mapping.plan())
  ///     try store.read(serializer.plan) { snapshot in
  ///       try serializer.export(Person.mapping.where { $0.age >= 18 }, from: &snapshot.reader) { text += $0 }
  ///     }
  ///
  /// Every object of the query is written, even if others own it.
  ///
  /// - Parameters:
  ///   - query: A query of a mapping of the entity that the serializer writes.
  ///   - reader: A reader of the plan's schema, borrowed for the call.
  ///   - options: The format of the text.
  ///   - sink: As in ``export(from:keys:limit:options:to:)``.
  /// - Returns: The number of objects and bytes.
  /// - Throws: ``FilterError``, ``NoSuchObjectError``, or as ``export(from:keys:limit:options:to:)``.
  @discardableResult
  public func export<Source: PlanSource, R: StoreReader>(
    _ query: Query<Source>, from reader: inout R, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    try check(query)
    return try export(query.bound(to: plan), &reader, options, sink) { _, _ in }
  }

  /// Writes the objects of a query, and returns the position behind the last one, as ``Snapshot/page(_:including:depth:unreadable:)`` does.
  package func exportPage<Source: PlanSource, R: StoreReader>(
    _ query: Query<Source>, from reader: inout R, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Position? {
    try check(query)
    let bound = try query.pageable(in: plan)
    var last = ObjectPage()
    _ = try export(bound, &reader, options, sink) { id, key in last = ObjectPage(ids: [id], keys: [key]) }
    return try reader.position(behind: last, of: bound, query, plan)
  }

  private func check<Source: PlanSource>(_ query: Query<Source>) throws {
    let asked = try query.source.plan().root.entity
    guard asked.utf8.elementsEqual(plan.root.entity.utf8) else {
      throw FilterError(
        .init(.unknown, "expected a query of \(escaped(plan.root.entity)), found one of \(escaped(asked))"))
    }
  }

  /// - Parameter note: Called with the last object of each page of results.
  private func export<R: StoreReader>(
    _ query: BoundQuery, _ reader: inout R, _ options: ExportOptions,
    _ sink: (UnsafeRawBufferPointer) throws -> Void, _ note: (ObjectID, PrimaryKey?) -> Void
  ) throws -> ExportReport {
    var run = QueryRun(query)
    var stream = ExportStream(self, options, totalObjects: nil)
    try run.forEachPage(&reader) { reader, page in
      try stream.add(page.ids, &reader, sink)
      if let id = page.ids.last, let key = page.keys.last { note(id, key) }
      return true
    }
    return try stream.end(sink)
  }

  /// Writes the objects of a query to a file, in its order.
  ///
  ///     try serializer.exportFile("adults.ndjson", of: Person.mapping.where { $0.age >= 18 }, from: store)
  ///
  /// - Parameters:
  ///   - path: As in `exportFile(_:from:keys:limit:options:)`.
  ///   - query: A query of a mapping of the entity that the serializer writes.
  ///   - store: Read in one snapshot.
  ///   - options: The format of the text. Nil selects the format by the file's extension.
  /// - Returns: The number of objects and bytes.
  /// - Throws: ``FilterError``, ``NoSuchObjectError``, or as `exportFile(_:from:keys:limit:options:)`. The file is then
  ///   unchanged.
  @discardableResult
  public func exportFile<Source: PlanSource>(
    _ path: String, of query: Query<Source>, from store: some Store, options: ExportOptions? = nil
  ) throws -> ExportReport {
    var file = try OutputFile(path)
    let options = options ?? .init(format: JSONFormat(ofFile: path))
    let report = try store.read(plan.schema) { reader in
      try export(query, from: &reader, options: options) { try file.write($0) }
    }
    try file.replaceTarget()
    return report
  }
}
