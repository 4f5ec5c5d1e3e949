/// Writes objects one after another and passes on their text in pieces.
struct ExportStream: ~Copyable {
  private let serializer: Serializer
  private let options: ExportOptions
  private let totalObjects: Int?
  private var run: SerializerRun
  private var output: JSONWriter
  private var flushedBytes = 0
  private(set) var report = ExportReport()

  typealias Sink = (UnsafeRawBufferPointer) throws -> Void

  /// The size at which text is passed on between two objects.
  static let pieceSize = 65_536
  /// The size at which text is passed on within an object.
  static let innerPieceSize = 1 << 20

  /// - Throws: ``OptionError``.
  init(_ serializer: Serializer, _ options: ExportOptions, totalObjects: Int?) throws {
    run = try serializer.borrowRun()
    self.serializer = serializer
    self.options = options
    self.totalObjects = totalObjects
    output = JSONWriter(isPretty: options.isPretty && options.format != .ndjson)
    if options.format != .ndjson {
      serializer.beginRoot(&output)
      serializer.beginCollection(of: &run, &output)
    }
  }

  deinit { serializer.giveBack(run) }

  /// Writes objects, up to a total. Objects that are not stored are left out.
  ///
  /// - Parameter next: Objects that probably follow in another call.
  mutating func add<R: StoreReader>(
    _ ids: some Sequence<ObjectID>, before next: [ObjectID] = [], upTo limit: Int = .max,
    _ reader: inout R, _ sink: Sink
  ) throws {
    if !reader.prefersSets {
      for id in ids {
        guard report.objects < limit else { return }
        try add(id, &reader, sink)
      }
      return
    }
    let gatherer = run.gatherer ?? PrefetchingReader(reader, for: run)
    run.gatherer = gatherer
    gatherer.base = reader
    // Keep the cache of the store's reader.
    defer { if let used = gatherer.base as? R { reader = used } }
    var ahead = gatherer
    try gatherer.forEach(of: ids, before: next) { id in
      try add(id, &ahead, sink)
      return report.objects < limit
    }
  }

  /// Writes one object, unless it is not stored.
  mutating func add<R: StoreReader>(_ id: ObjectID, _ reader: inout R, _ sink: Sink) throws {
    do {
      let (report, flushed) = (report, flushedBytes)
      var inside = 0
      let isFound = try run.write(id, &reader, &output, pieceSize: Self.innerPieceSize) {
        [options, totalObjects] in
        if Task.isCancelled { throw CancellationError() }
        try sink($0)
        inside += $0.count
        try options.onProgress?(
          .init(objects: report.objects, totalObjects: totalObjects, bytes: flushed + inside))
      }
      flushedBytes += inside
      guard isFound else { return }
    } catch {
      guard let fault = run.located(error) as? MappingError else { throw error }
      let plan = serializer.plan
      // An instance of another class has no key either.
      let key = try? reader.key(of: id, as: plan.mappings[0])
      throw ExportError(error: fault, entity: plan.root.entity, key: key)
    }
    if options.format == .ndjson {
      output.endLine()
      run.forgetWritten()
    }
    report.objects += 1
    let length = output.count
    report.bytes = flushedBytes + length
    if length >= Self.pieceSize { try flush(sink) }
    try options.onProgress?(
      .init(objects: report.objects, totalObjects: totalObjects, bytes: report.bytes))
  }

  /// Ends the text and passes on the rest.
  mutating func end(_ sink: Sink) throws -> ExportReport {
    if options.format != .ndjson {
      serializer.endCollection(&output)
      serializer.endRoot(&output)
    }
    try flush(sink)
    report.bytes = flushedBytes
    return report
  }

  private mutating func flush(_ sink: Sink) throws {
    if Task.isCancelled { throw CancellationError() }
    let length = output.count
    if length == 0 { return }
    try output.flush(to: sink)
    flushedBytes += length
  }
}

extension StoreReader {
  /// The primary key of an object in a mapping; nil if it has none.
  fileprivate mutating func key(of id: ObjectID, as planned: PlannedMapping) throws -> PrimaryKey? {
    var buffer = RowBuffer()
    guard let field = planned.keyField, try read(id, of: planned.entity, into: &buffer) else { return nil }
    try buffer.checkWhole()
    return buffer.row[field].key
  }
}
