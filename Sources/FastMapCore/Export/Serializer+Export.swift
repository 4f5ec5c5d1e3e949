// Exports of any size in little memory. Text is passed on between two objects once it has 64 KiB, and within an
// object once it has 1 MiB. The serializer remembers the objects that the current root object reaches. Only
// `repeatAsKey` in one array must remember all objects.
extension Serializer {
  /// Writes the objects of the plan's first mapping, sorted by key.
  ///
  ///     let report = try store.read(plan.schema) { reader in
  ///       try serializer.export(from: &reader) { try file.write($0) }
  ///     }
  ///
  /// Objects without a key follow, in the order in which they were created.
  ///
  /// An object that others of the entity own, directly or through objects without a key, is written only within its
  /// owner. An object that belongs to an object with a key of another entity also has a line of its own. An import
  /// reads that line as a second object.
  ///
  /// - Parameters:
  ///   - reader: A reader of the plan's schema, borrowed for the call.
  ///   - keys: The keys to export. By default, all objects are exported, with or without a key.
  ///   - limit: The maximum number of objects.
  ///   - options: The format of the text.
  ///   - sink: Receives the text in pieces of at least 64 KiB, except the last one. Pieces begin and end between
  ///     objects, but an object of more than 1 MiB is split. A piece is borrowed for the call. An error from `sink`
  ///     ends the export.
  /// - Returns: The number of objects and bytes.
  /// - Throws: ``ExportError`` for an object with a value that cannot be written as JSON, or with more text than
  ///   ``SerializerOptions/maxObjectBytes``. Errors of the reader, of `sink` and of `onProgress`. `sink` has received
  ///   only whole objects then, and perhaps the beginning of an object of more than 1 MiB.
  /// - Complexity: O(*n*) in the objects written.
  @discardableResult
  public func export<R: StoreReader>(
    from reader: inout R, keys: (any KeyRangeExpression)? = nil, limit: Int = .max,
    options: ExportOptions = ExportOptions(), to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    let entity = plan.mappings[0].entity
    let keys = keys?.keyRange
    var total: Int?
    let owned = keys == nil ? try ownedRoots(&reader) : []
    if options.onProgress != nil, keys == nil, owned.isEmpty {
      total = min(limit, try reader.count(of: entity))
    }
    var stream = ExportStream(self, options, totalObjects: total)
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

  /// Writes selected objects of the plan's first mapping.
  ///
  /// - Parameters:
  ///   - ids: The objects, in order, taken from the sequence one at a time, or in portions from a store that prefers
  ///     sets. Objects that are not stored are left out.
  ///   - reader: A reader of the plan's schema, borrowed for the call.
  ///   - options: The format of the text.
  ///   - sink: As in ``export(from:keys:limit:options:to:)``.
  /// - Returns: The number of objects and bytes.
  /// - Throws: As ``export(from:keys:limit:options:to:)``.
  @discardableResult
  public func export<R: StoreReader>(
    _ ids: some Sequence<ObjectID>, from reader: inout R, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    var stream = ExportStream(self, options, totalObjects: (ids as? any Collection)?.count)
    try stream.add(ids, &reader, sink)
    return try stream.end(sink)
  }

  /// Writes instances of your own class.
  ///
  /// - Parameters:
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, read one at a time. Written
  ///     instances are not kept, except under ``SerializerOptions/Cycles/repeatAsKey``.
  ///   - options: The format of the text.
  ///   - sink: As in ``export(from:keys:limit:options:to:)``.
  /// - Returns: The number of objects and bytes.
  /// - Throws: As ``export(from:keys:limit:options:to:)``; also for an instance of another class.
  @discardableResult
  public func export<Object: AnyObject>(
    _ objects: some Sequence<Object>, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    var reader = try InstanceReader(plan.schema)
    var stream = ExportStream(self, options, totalObjects: (objects as? any Collection)?.count)
    for object in objects {
      try stream.add(reader.number(of: object), &reader, sink)
      if self.options.cycles != .repeatAsKey || options.format == .ndjson { reader.forget() }
    }
    return try stream.end(sink)
  }

  // MARK: Files

  /// Writes the objects of the plan's first mapping to a file.
  ///
  ///     try serializer.exportFile("people.ndjson", from: store, keys: 100..<200)
  ///
  /// The text goes to a new file in the same directory. The new file replaces the old one once it is complete and on
  /// the disk.
  ///
  /// - Parameters:
  ///   - path: The file to create or replace. Links are followed. The extensions `.ndjson` and `.jsonl` select
  ///     NDJSON.
  ///   - store: Read in one snapshot.
  ///   - keys: The keys to export. By default, all objects are exported, with or without a key.
  ///   - limit: The maximum number of objects.
  ///   - options: The format of the text. Nil selects the format by the file's extension; explicit options ignore it.
  /// - Returns: The number of objects and bytes.
  /// - Throws: ``SystemError``, or as ``export(from:keys:limit:options:to:)``. The file is then unchanged, and no
  ///   partial file remains.
  @discardableResult
  public func exportFile(
    _ path: String, from store: some Store, keys: (any KeyRangeExpression)? = nil,
    limit: Int = .max,
    options: ExportOptions? = nil
  ) throws -> ExportReport {
    var file = try OutputFile(path)
    let report = try store.read(plan.schema) { reader in
      try export(
        from: &reader, keys: keys, limit: limit, options: options ?? .init(format: JSONFormat(ofFile: path))
      ) {
        try file.write($0)
      }
    }
    try file.replaceTarget()
    return report
  }

  /// Writes instances of your own class to a file.
  ///
  /// - Parameters:
  ///   - path: As in `exportFile(_:from:keys:limit:options:)`.
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, read one at a time.
  ///   - options: The format of the text. Nil selects the format by the file's extension.
  /// - Returns: The number of objects and bytes.
  /// - Throws: As `exportFile(_:from:keys:limit:options:)`; also for an instance of another class.
  @discardableResult
  public func exportFile<Object: AnyObject>(
    _ path: String, of objects: some Sequence<Object>, options: ExportOptions? = nil
  ) throws -> ExportReport {
    var file = try OutputFile(path)
    let report = try export(objects, options: options ?? .init(format: JSONFormat(ofFile: path))) {
      try file.write($0)
    }
    try file.replaceTarget()
    return report
  }
}
