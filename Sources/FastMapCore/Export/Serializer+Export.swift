// Many objects as one text of any size, in little memory: what has been gathered is handed out between two objects, once
// there are 64 KiB of it, and inside of an object once there is 1 MiB. The numbers of the objects that a root object
// reaches are remembered while it is written. Only `repeatAsKey` in one array must remember those of all.
extension Serializer {
  /// Writes the objects of the plan's first mapping: by key, ascending, and then those without a key in the order they
  /// were made. Those that others of the entity own, directly or by way of objects without a key, stand inside of their
  /// owners alone. One that an object with a key owns has a line of its own too, which an import takes for a second object.
  ///
  ///     let report = try store.read(plan.schema) { reader in
  ///       try serializer.export(from: &reader) { try file.write($0) }
  ///     }
  ///
  /// - Parameters:
  ///   - reader: Of the plan's schema, borrowed for the call.
  ///   - keys: Only objects with these keys; all objects, with a key or without, where none are given.
  ///   - limit: At most so many, the first ones.
  ///   - options: The form of the text.
  ///   - sink: Gets the text in pieces of at least 64 KiB, but for the last, that begin and end between two objects; the text of
  ///     an object of more than 1 MiB comes in several. A piece is borrowed for the call. An error that it throws ends
  ///     the export.
  /// - Returns: What was written.
  /// - Throws: ``ExportError`` for an object with a value that has no form in JSON or with more text than
  ///   ``SerializerOptions/maxObjectBytes``, the reader's error, and what `sink` and the options' `onProgress` throw. `sink` has
  ///   had only whole objects then, and perhaps the beginning of one of more than 1 MiB.
  /// - Complexity: O(*n*) in the objects written.
  @discardableResult
  public func export<R: StoreReader>(
    from reader: inout R, keys: (some KeyRangeExpression)? = KeyRange?.none, limit: Int = .max,
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
      try reader.forEach(of: entity, keys: keys) { reader, id, key in
        if key == nil, owned.contains(id) { return true }
        try stream.add(id, &reader, sink)
        return stream.report.objects < limit
      }
    }
    return try stream.end(sink)
  }

  /// Writes some objects of the plan's first mapping.
  ///
  /// - Parameters:
  ///   - ids: The objects in their order, taken one at a time; those that are not stored are left out.
  ///   - reader: Of the plan's schema, borrowed for the call.
  ///   - options: The form of the text.
  ///   - sink: As that of ``export(from:keys:limit:options:to:)``.
  /// - Returns: What was written.
  /// - Throws: As ``export(from:keys:limit:options:to:)``.
  @discardableResult
  public func export<R: StoreReader>(
    _ ids: some Sequence<ObjectID>, from reader: inout R, options: ExportOptions = ExportOptions(),
    to sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> ExportReport {
    var stream = ExportStream(self, options, totalObjects: (ids as? any Collection)?.count)
    for id in ids { try stream.add(id, &reader, sink) }
    return try stream.end(sink)
  }

  /// Writes instances of the caller's own class.
  ///
  /// - Parameters:
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, taken one at a time. None is kept
  ///     once it is written, unless ``SerializerOptions/Cycles/repeatAsKey`` has to know it again.
  ///   - options: The form of the text.
  ///   - sink: As that of ``export(from:keys:limit:options:to:)``.
  /// - Returns: What was written.
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

  /// Writes the objects of the plan's first mapping to a file: all of them, or no change of the file.
  ///
  ///     try serializer.exportFile("people.ndjson", from: store, keys: 100..<200)
  ///
  /// The text goes to a new file beside it, which takes its place once it is complete and on the disk.
  ///
  /// - Parameters:
  ///   - path: The file, made or replaced; a link is followed. Its name may end in `.ndjson` or `.jsonl` to say its format.
  ///   - store: Read in one snapshot.
  ///   - keys: Only objects with these keys; all objects, with a key or without, where none are given.
  ///   - limit: At most so many, the first ones.
  ///   - options: The form of the text; nil for the defaults with the format that the name says. Options that are given
  ///     count as they are, whatever the name.
  /// - Returns: What was written.
  /// - Throws: ``FileError``, or as ``export(from:keys:limit:options:to:)``. The file is as it was then, and nothing is
  ///   left beside it.
  @discardableResult
  public func exportFile(
    _ path: String, from store: some Store, keys: (some KeyRangeExpression)? = KeyRange?.none,
    limit: Int = .max,
    options: ExportOptions? = nil
  ) throws -> ExportReport {
    var file = try OutputFile(path)
    let report = try store.read(plan.schema) { reader in
      try export(from: &reader, keys: keys, limit: limit, options: options ?? .init(forFile: path)) {
        try file.write($0)
      }
    }
    try file.replaceTarget()
    return report
  }

  /// Writes instances of the caller's own class to a file: all of them, or no change of the file.
  ///
  /// - Parameters:
  ///   - path: As that of `exportFile(_:from:keys:limit:options:)`.
  ///   - objects: Instances of the class of the plan's first mapping, or of subclasses, taken one at a time.
  ///   - options: The form of the text; nil for the defaults with the format that the name says.
  /// - Returns: What was written.
  /// - Throws: As `exportFile(_:from:keys:limit:options:)`; also for an instance of another class.
  @discardableResult
  public func exportFile<Object: AnyObject>(
    _ path: String, of objects: some Sequence<Object>, options: ExportOptions? = nil
  ) throws -> ExportReport {
    var file = try OutputFile(path)
    let report = try export(objects, options: options ?? .init(forFile: path)) { try file.write($0) }
    try file.replaceTarget()
    return report
  }
}

extension ExportOptions {
  /// The defaults, with the format that a file's name says.
  init(forFile path: String) {
    self.init(format: path.hasSuffix(".ndjson") || path.hasSuffix(".jsonl") ? .ndjson : .json)
  }
}
