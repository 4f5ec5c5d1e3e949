package import FastMapCore

/// A store under test, and the plans of its imports.
///
///     let world = try World(kind, book)
///     try #expect(world.load(#"{"id": 1}"#) == "Book +1")
///     try #expect(world.dump() == "Book 1")
package struct World {
  package let store: any Store
  package let plans: [Plan]

  /// Makes a store.
  ///
  /// - Parameters:
  ///   - sources: Mappings and plans, of records or of classes. The first one is loaded and dumped unless a test says
  ///     another.
  ///   - json: The objects of the store; nil for an empty one.
  package init(_ kind: StoreKind, _ sources: any PlanSource..., holding json: String? = nil) throws {
    store = try kind.make()
    plans = try sources.map { try $0.plan() }
    if let json { try load(json) }
  }

  package func plan(_ name: String? = nil) -> Plan {
    guard let plan = name.map({ name in plans.first { $0.root.name == name } }) ?? plans.first else {
      preconditionFailure("no such mapping")
    }
    return plan
  }

  /// Imports, and returns the report's `summary`.
  @discardableResult
  package func load(
    _ json: String, as name: String? = nil, options: ImportOptions = ImportOptions()
  ) throws -> String {
    summary(try report(json, as: name, options: options))
  }

  /// - Parameters:
  ///   - size: The size of the text's chunks; nil for a text in memory.
  ///   - window: Bytes to begin with.
  package func report(
    _ json: String, as name: String? = nil, inChunksOf size: Int? = nil, window: Int = 16,
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    guard let size else { return try Mapper(store).importJSON(json, as: plan(name), options: options) }
    return try Mapper(store).importStream(
      as: plan(name), options: options, window: window, stream(Array(json.utf8), inChunksOf: size))
  }

  /// The message of the error that an import throws; nil where it throws none.
  package func failure(
    of json: String, as name: String? = nil, inChunksOf size: Int? = nil,
    options: ImportOptions = ImportOptions()
  ) -> String? {
    message { _ = try report(json, as: name, inChunksOf: size, options: options) }
  }

  /// The message of the error that an import throws if it receives the parsed tree instead of the text.
  package func failure(ofTree json: String) throws -> String? {
    do {
      try Array(json.utf8).withUnsafeBytes { bytes in
        let document = try JSONDocument(parsing: bytes)
        _ = try Mapper(store).importJSON(document, as: plan())
      }
      return nil
    } catch let error as JSONSyntaxError {
      throw error
    } catch {
      return "\(error)"
    }
  }

  /// The stored objects of a plan's entities, an object a line: `Book 1 title="Dune" author=7 tags=[1 2]`.
  ///
  /// Objects without a key are numbered in the order they were made: `Page #1`.
  package func dump(as name: String? = nil) throws -> String {
    let plan = plan(name)
    return try store.read(plan) { reader in try Dump(&reader, keyFields: Dump.keyFields(of: plan)).text }
  }

  /// One line of a dump.
  package func dump(of object: String, as name: String? = nil) throws -> String? {
    try dump(as: name).split(separator: "\n").map(String.init).first {
      $0 == object || $0.hasPrefix(object + " ")
    }
  }

  /// The objects of the root entity as JSON.
  package func export(_ name: String? = nil, _ options: SerializerOptions = .init()) throws -> String {
    try store.exported(plan(name), options)
  }
}

extension Store {
  /// The objects of a mapping's entity as JSON.
  package func exported(
    _ source: some PlanSource, _ options: SerializerOptions = .init(), as format: JSONFormat = .json
  ) throws -> String {
    let plan = try source.plan()
    let exporting = ExportOptions(format: format)
    var text: [UInt8] = []
    _ = try read(plan) { reader in
      try Serializer(plan, options: options).export(from: &reader.reader, options: exporting) { text += $0 }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The message of the error that `body` throws; nil where it throws none.
package func message(_ body: () throws -> Void) -> String? {
  do {
    try body()
    return nil
  } catch {
    return "\(error)"
  }
}

/// A text that arrives in chunks, as `Mapper.importStream` wants it.
package func stream(
  _ text: [UInt8], inChunksOf size: Int
) -> (UnsafeMutableRawBufferPointer, _ isCancelled: () -> Bool) throws -> Int {
  var rest = text[...]
  return { room, _ in
    let piece = rest.prefix(min(size, room.count))
    room.copyBytes(from: piece)
    rest = rest.dropFirst(piece.count)
    return piece.count
  }
}

/// The counts of an import: `Book +1 ~2 =3 -4 !5 <6` for inserted, updated, unchanged, deleted, skipped and stale, without
/// zeros.
package func summary(_ report: ImportReport) -> String {
  report.entities.map { row in
    let counts = row.counts
    let signs = [
      ("+", counts.inserted), ("~", counts.updated), ("=", counts.unchanged), ("-", counts.deleted),
      ("!", counts.skipped), ("<", counts.stale),
    ]
    return ([row.entity] + signs.filter { $0.1 != 0 }.map { "\($0.0)\($0.1)" }).joined(separator: " ")
  }.joined(separator: ", ")
}

extension ImportReport {
  /// Whether nothing was inserted, updated, deleted or skipped.
  package var isUnchanged: Bool { entities.allSatisfy { $0.counts == .init(unchanged: $0.counts.unchanged) } }
}
