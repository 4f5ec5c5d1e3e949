import FastMapCore

/// A store under test, and the mappings that are imported into it.
///
///     let world = try World(kind, book)
///     try #expect(world.load(#"{"id": 1}"#) == "Book +1")
///     try #expect(world.dump() == "Book 1")
struct World {
  let store: any Store
  let plans: [Plan]

  /// Makes an empty store. The first mapping is the one that is loaded and dumped unless a test says another.
  init(_ kind: StoreKind, _ mappings: Mapping<Record>...) throws {
    store = try kind.make()
    plans = try mappings.map { try Plan($0) }
  }

  /// Makes an empty store for what a plan imports, be it records or instances of classes.
  init(_ kind: StoreKind, plan: Plan) throws {
    store = try kind.make()
    plans = [plan]
  }

  func plan(_ name: String? = nil) -> Plan {
    guard let plan = name.map({ name in plans.first { $0.root.name == name } }) ?? plans.first else {
      preconditionFailure("no such mapping")
    }
    return plan
  }

  /// Imports and says what was done, as in `summary`.
  @discardableResult
  func load(
    _ json: String, as name: String? = nil, options: ImportOptions = ImportOptions()
  ) throws -> String {
    summary(try report(json, as: name, options: options))
  }

  /// - Parameters:
  ///   - size: Of the chunks in which the text arrives; nil for a text in memory.
  ///   - window: Bytes to begin with.
  func report(
    _ json: String, as name: String? = nil, inChunksOf size: Int? = nil, window: Int = 16,
    options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    func run(_ store: some Store) throws -> ImportReport {
      let text = Array(json.utf8)
      guard let size else { return try Mapper(store).importJSON(text, as: plan(name), options: options) }
      return try Mapper(store).importStream(
        as: plan(name), options: options, window: window, stream(text, inChunksOf: size))
    }
    return try run(store)
  }

  /// The message of the error that an import throws; nil where it throws none.
  func failure(
    of json: String, as name: String? = nil, inChunksOf size: Int? = nil,
    options: ImportOptions = ImportOptions()
  ) -> String? {
    do {
      _ = try report(json, as: name, inChunksOf: size, options: options)
      return nil
    } catch {
      return "\(error)"
    }
  }

  /// The message of the error that an import throws to which the tree is handed, and not the text.
  func failure(ofTree json: String) throws -> String? {
    func run(_ store: some Store) throws {
      try Array(json.utf8).withUnsafeBytes { bytes in
        let document = try JSONDocument(parsing: bytes)
        _ = try Mapper(store).importDocument(document, as: plan())
      }
    }
    do {
      try run(store)
      return nil
    } catch let error as JSONSyntaxError {
      throw error
    } catch {
      return "\(error)"
    }
  }

  /// What the store holds of a plan's entities, an object a line: `Book 1 title="Dune" author=7 tags=[1 2]`.
  ///
  /// Objects without a key are numbered in the order they were made: `Page #1`.
  func dump(as name: String? = nil) throws -> String {
    func run(_ store: some Store) throws -> String {
      let plan = plan(name)
      return try store.read(plan) { reader in try Dump(&reader, keyFields: Dump.keyFields(of: plan)).text }
    }
    return try run(store)
  }

  /// One line of a dump.
  func dump(of object: String, as name: String? = nil) throws -> String? {
    try dump(as: name).split(separator: "\n").map(String.init).first {
      $0 == object || $0.hasPrefix(object + " ")
    }
  }
}

/// A text that arrives in chunks, as `Mapper.importStream` wants it.
func stream(
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

/// What an import did: `Book +1 ~2 =3 -4 !5` for inserted, updated, unchanged, deleted and skipped, without zeros.
func summary(_ report: ImportReport) -> String {
  report.entities.map { row in
    let counts = row.counts
    let signs = [
      ("+", counts.inserted), ("~", counts.updated), ("=", counts.unchanged), ("-", counts.deleted),
      ("!", counts.skipped),
    ]
    return ([row.entity] + signs.filter { $0.1 != 0 }.map { "\($0.0)\($0.1)" }).joined(separator: " ")
  }.joined(separator: ", ")
}

private struct Dump {
  let text: String

  /// The names of the fields that hold keys, by entity: an object's key is shown already.
  static func keyFields(of plan: Plan) -> [Set<String>] {
    var names = [Set<String>](repeating: [], count: plan.schema.entities.count)
    for planned in plan.mappings {
      if let field = planned.keyField {
        names[planned.entity].insert(plan.schema.entities[planned.entity].fields[field].name)
      }
    }
    return names
  }

  init(_ reader: inout RecordReader, keyFields: [Set<String>]) throws {
    let entities = reader.schema.entities
    var labels: [[ObjectID: String]] = []
    var records: [[Record]] = []
    for entity in entities {
      let found = try reader.records(entity.name)
      var names: [ObjectID: String] = [:]
      for record in found {
        names[record.id] = record.key.map { "\($0)" } ?? "#\(names.values.count { $0.hasPrefix("#") } + 1)"
      }
      labels.append(names)
      records.append(found)
    }
    var lines: [String] = []
    for (number, entity) in entities.enumerated() {
      for record in records[number] {
        var parts = [entity.name, labels[number][record.id] ?? "?"]
        for field in entity.fields {
          switch field.kind {
          case .attribute:
            guard let value = record[field.name], !keyFields[number].contains(field.name) else { continue }
            parts.append("\(field.name)=\(Self.text(of: value))")
          case .toOne(let target, _):
            guard let id = record.target(field.name) else { continue }
            parts.append("\(field.name)=\(labels[target][id] ?? "?")")
          case .toMany(let target, _):
            let ids = record.targets(field.name)
            guard !ids.isEmpty else { continue }
            let names = ids.map { labels[target][$0] ?? "?" }
            parts.append("\(field.name)=[\(names.joined(separator: " "))]")
          }
        }
        lines.append(parts.joined(separator: " "))
      }
    }
    text = lines.joined(separator: "\n")
  }

  private static func text(of value: Value) -> String {
    switch value {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let text): "\"\(text)\""
    case .date(let instant):
      "@\(instant.seconds)" + (instant.nanoseconds == 0 ? "" : "+\(instant.nanoseconds)ns")
    case .data(let bytes): "\(bytes)"
    case .json(let text): text
    }
  }
}

extension ImportOptions {
  static var skipping: ImportOptions {
    var options = ImportOptions()
    options.faults = .skip
    return options
  }

  static var dry: ImportOptions {
    var options = ImportOptions()
    options.isDryRun = true
    return options
  }

  static var ndjson: ImportOptions {
    var options = ImportOptions()
    options.format = .ndjson
    return options
  }

  static func committing(every interval: Int) -> ImportOptions {
    var options = ImportOptions()
    options.commitInterval = interval
    return options
  }
}

/// The mappings of the behaviour catalogue.
enum Fixture {
  /// `Author pk=authorID {authorID<-"id", name<-"n"}`
  static let author = Mapping("Author", primaryKey: "authorID") {
    Attribute("authorID", .integer, at: "id")
    Attribute("name", .string, at: "n")
  }

  /// `Tag pk=tagID {tagID<-"id", text<-"t"}`
  static let tag = Mapping("Tag", primaryKey: "tagID") {
    Attribute("tagID", .integer, at: "id")
    Attribute("text", .string, at: "t")
  }

  /// `Book pk=bookID {bookID<-"id", title<-"t", year<-"y", one author<-"a":Author, many tags<-"tags":Tag}`
  static func book(_ policy: RelationshipPolicy = .assign, isWeak: Bool = false) -> Mapping<Record> {
    Mapping("Book", primaryKey: "bookID") {
      Attribute("bookID", .integer, at: "id")
      Attribute("title", .string, at: "t")
      Attribute("year", .string, at: "y")
      ToOne("author", author, at: "a", policy: policy, isWeak: isWeak)
      ToMany("tags", tag, policy: policy, isWeak: isWeak)
    }
  }

  /// `Node pk=nodeID {nodeID<-"id", one child<-"child":Node itself}`, and many children.
  static let node: Mapping<Record> = Mapping("Node", primaryKey: "nodeID") {
    Attribute("nodeID", .integer, at: "id")
    Attribute("name", .string, at: "n")
    ToOne("child", node)
    ToMany("kids", node)
  }
}
