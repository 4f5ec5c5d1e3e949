import FastMapCore

/// The columns of `--fields`: attributes, keys of targets, and counts of lists, of objects and of their targets.
///
///     id,customer.city,extra.size,customer,count(lines)
struct Columns {
  /// A value of one column.
  enum Cell {
    case none
    case value(Value)
    case key(PrimaryKey)
    /// A part of a value of the type json.
    case json([UInt8])
  }

  /// The columns that are read from objects of one entity.
  private struct Level {
    let entity: Int
    var values: [(field: Int, path: JSONKeyPath?, column: Int)] = []
    var keys: [Int] = []
    var counts: [(field: Int, column: Int)] = []
    var targets: [(field: Int, level: Level)] = []
  }

  let names: [String]
  let plan: Plan
  private var root: Level

  /// - Parameter text: The columns with commas between them; nil for the attributes and the keys of to-one relationships.
  init(_ text: String?, of plan: Plan) throws {
    self.plan = plan
    root = Level(entity: plan.mappings[0].entity)
    let entity = plan.schema.entities[root.entity]
    if let text {
      let paths = QueryInputs.parts(text, separatedBy: ",")
      names = paths
      for (column, path) in paths.enumerated() {
        let isCount = path.hasPrefix("count(") && path.hasSuffix(")")
        let inner = isCount ? String(path.dropFirst(6).dropLast()) : path
        try Self.add(QueryInputs.names(in: inner)[...], isCount, column, path, to: &root, plan.schema)
      }
      return
    }
    let mapping = plan.root
    let given =
      mapping.attributes.filter { $0.source != .kind }.map(\.name)
      + mapping.relationships.filter { !$0.isToMany }.map(\.name)
    let fields = given.compactMap { name in entity.fields.firstIndex { $0.name == name } }
    names = fields.map { entity.fields[$0].name }
    for (column, field) in fields.enumerated() { Self.add(field, column, to: &root, plan.schema) }
  }

  private static func add(_ field: Int, _ column: Int, to level: inout Level, _ schema: Schema) {
    guard let target = schema.entities[level.entity].fields[field].kind.target else {
      return level.values.append((field, nil, column))
    }
    change(field, target.entity, of: &level) { $0.keys.append(column) }
  }

  private static func change(
    _ field: Int, _ entity: Int, of level: inout Level, _ body: (inout Level) throws -> Void
  ) rethrows {
    let place = level.targets.firstIndex { $0.field == field } ?? level.targets.count
    if place == level.targets.count { level.targets.append((field, Level(entity: entity))) }
    try body(&level.targets[place].level)
  }

  private static func add(
    _ path: ArraySlice<String>, _ isCount: Bool, _ column: Int, _ text: String, to level: inout Level,
    _ schema: Schema
  ) throws {
    let entity = schema.entities[level.entity]
    let name = path.first ?? ""
    guard let field = entity.fields.firstIndex(where: { $0.name == name }) else {
      let near = suggestion(for: name, among: entity.fields.map(\.name)).map {
        "; did you mean \(quoted($0))?"
      }
      throw UsageError(
        "--fields: no field of \(escaped(entity.name)) named \(quoted(name))\(near ?? "")")
    }
    let (kind, rest) = (entity.fields[field].kind, path.dropFirst())
    if isCount, rest.isEmpty {
      guard kind.isToMany else { throw UsageError("--fields: \(quoted(text)) counts no list") }
      return level.counts.append((field, column))
    }
    guard let target = kind.target else {
      guard rest.isEmpty || kind == .attribute(.json) else {
        throw UsageError("--fields: \(quoted(text)): \(quoted(name)) has no fields")
      }
      let inner = rest.isEmpty ? nil : JSONKeyPath(components: Array(rest))
      return level.values.append((field, inner, column))
    }
    if kind.isToMany {
      throw UsageError("--fields: \(quoted(text)): \(quoted(name)) is a list; write count(\(escaped(name)))")
    }
    if rest.isEmpty { return add(field, column, to: &level, schema) }
    try change(field, target.entity, of: &level) { try add(rest, isCount, column, text, to: &$0, schema) }
  }

  // MARK: Reading

  /// Reads the rows of some objects.
  func rows(of ids: [ObjectID], in reader: inout any StoreReader) throws -> [[Cell]] {
    var rows = [[Cell]](repeating: Array(repeating: .none, count: names.count), count: ids.count)
    try read(root, ids.map { $0 }, &rows, &reader)
    return rows
  }

  /// - Parameter ids: The object of each row at this level; nil for none.
  private func read(
    _ level: Level, _ ids: [ObjectID?], _ rows: inout [[Cell]], _ reader: inout any StoreReader
  ) throws {
    var places: [ObjectID: [Int]] = [:]
    for (row, id) in ids.enumerated() { if let id { places[id, default: []].append(row) } }
    let all = places.keys.sorted()
    if all.isEmpty { return }
    var targets = level.targets.map { _ in [ObjectID?](repeating: nil, count: ids.count) }
    let keyField = plan.schema.entities[level.entity].keyField
    var cells: [(column: Int, cell: Cell)] = []
    try reader.read(all, of: level.entity) { index, row in
      cells.removeAll(keepingCapacity: true)
      for (field, path, column) in level.values {
        if let cell = try Self.cell(row[field], path) { cells.append((column, cell)) }
      }
      if let key = keyField.flatMap({ row[$0].key }) {
        for column in level.keys { cells.append((column, .key(key))) }
      }
      for place in places[all[index]] ?? [] {
        for (column, cell) in cells { rows[place][column] = cell }
        for (number, target) in level.targets.enumerated() {
          targets[number][place] = row[target.field].target
        }
      }
    }
    if !level.counts.isEmpty {
      let lists = try reader.checkedTargets(of: all, entity: level.entity, fields: level.counts.map(\.field))
      for (list, count) in zip(lists, level.counts) {
        for (id, members) in zip(all, list) {
          for place in places[id] ?? [] { rows[place][count.column] = .value(.integer(Int64(members.count))) }
        }
      }
    }
    for (target, ids) in zip(level.targets, targets) { try read(target.level, ids, &rows, &reader) }
  }

  private static func cell(_ field: Field, _ path: JSONKeyPath?) throws -> Cell? {
    guard let value = field.value, value != .null else { return nil }
    guard let path else { return .value(value) }
    guard case .json(let text) = value else { return nil }
    let document = try Array(text.utf8).withUnsafeBytes { try JSONDocument(parsing: $0, keepsReals: true) }
    return document.withRoot { root in
      guard let node = root.value(at: path), !node.isNull else { return nil }
      var writer = JSONWriter()
      writer.append(node, document.bigIntegers, keepsReals: true)
      return .json(writer.bytes)
    }
  }
}
