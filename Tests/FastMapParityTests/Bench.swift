import FastMapCore
import TestSupport
import Testing

/// A store with the items of a row, beside a model of its values.
struct Bench<V: AttributeValue & Equatable & Sendable> where V.Unwrapped == V {
  typealias Object = Item<V>

  /// The values of an item, as numbers of samples.
  struct State: Equatable {
    var plain: Int
    var maybe: Int?
  }

  let row: Row<V>
  let store: any Store
  let mapping: Mapping<Object>
  var model: [Int: State] = [:]

  /// Makes an empty store and a model in which every value occurs at least twice.
  init(_ row: Row<V>, _ kind: StoreKind, _ indexes: [Index] = []) throws {
    self.row = row
    store = try kind.make()
    mapping = row.mapping(indexes)
    let count = row.samples.count
    for key in 1...(2 * count + 3) {
      let maybe = key % (count + 1)
      model[key] = State(plain: key % count, maybe: maybe == count ? nil : maybe)
    }
  }

  /// Makes a store with all that the model has.
  static func loaded(_ row: Row<V>, _ kind: StoreKind, _ indexes: [Index] = []) throws -> Bench {
    let bench = try Bench(row, kind, indexes)
    try bench.load(bench.payload())
    return bench
  }

  var keys: [Int] { model.keys.sorted() }

  func sample(_ key: Int, _ member: KeyPath<State, Int?>) -> Sample<V>? {
    model[key]?[keyPath: member].map { row.samples[$0] }
  }

  func plain(_ key: Int) -> V? { sample(key, \.optionalPlain)?.value }
  func maybe(_ key: Int) -> V? { sample(key, \.maybe)?.value }

  /// The keys of the items that the condition accepts in the model, ascending.
  func keys(where isFound: (State) -> Bool) -> [PrimaryKey] {
    keys.filter { key in model[key].map(isFound) ?? false }.map { .integer(Int64($0)) }
  }

  // MARK: Texts

  /// A payload with the items of the model.
  ///
  /// - Parameter spelling: Writes a value.
  func payload(_ keys: [Int]? = nil, _ spelling: (Sample<V>) -> String = \.json) -> String {
    let items = (keys ?? self.keys).map { key in
      let plain = sample(key, \.optionalPlain).map(spelling) ?? "null"
      let maybe = sample(key, \.maybe).map(spelling) ?? "null"
      return #"{"id":\#(key),"plain":\#(plain),"maybe":\#(maybe)}"#
    }
    return "[\(items.joined(separator: ","))]"
  }

  func exported(_ key: Int) -> String {
    var members = ["\"id\":\(key)"]
    if let plain = sample(key, \.optionalPlain)?.exported { members.append("\"plain\":\(plain)") }
    if let maybe = sample(key, \.maybe)?.exported { members.append("\"maybe\":\(maybe)") }
    return "{\(members.joined(separator: ","))}"
  }

  // MARK: The store

  @discardableResult
  func load(_ json: String) throws -> String { summary(try Mapper(store).importJSON(json, as: mapping)) }

  /// Compares the store with the model: records, copies, an export and keys.
  func check(_ moment: Comment, _ location: SourceLocation = #_sourceLocation) throws {
    let (text, expected) = (try store.exported(mapping), "[\(keys.map(exported).joined(separator: ","))]")
    #expect(text == expected, "\(moment): \(text) and not \(expected)", sourceLocation: location)
    try store.read(mapping) { snapshot in
      let records = try snapshot.records("Item").map { record in
        "\(record.key!) \(record["plain"] ?? .null) \(record["maybe"] ?? .null)"
      }
      let expected = keys.map { key in
        "\(key) \(sample(key, \.optionalPlain)?.stored ?? .null) \(sample(key, \.maybe)?.stored ?? .null)"
      }
      #expect(records == expected, moment, sourceLocation: location)
      try expect(snapshot.objects(mapping), moment, location)
      #expect(try snapshot.count(mapping) == model.count, moment, sourceLocation: location)
    }
  }

  /// Compares instances of all items with the model.
  func expect(_ items: [Object], _ moment: Comment, _ location: SourceLocation = #_sourceLocation) {
    #expect(items.map(\.id) == keys, moment, sourceLocation: location)
    for item in items {
      let isRight = Row.areAlike(item.plain, plain(item.id)) && Row.areAlike(item.maybe, maybe(item.id))
      #expect(
        isRight, "\(moment): \(item.id) \(item.plain) \(String(describing: item.maybe))",
        sourceLocation: location)
    }
  }
}

extension Bench.State {
  var optionalPlain: Int? { plain }
}
