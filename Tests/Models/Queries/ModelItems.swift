import FastMapCore
import FastMapStoreTesting

/// A plain object with the hard cases of indexes: no key, values that are not a number, letters in two forms, and strings that are
/// longer than an entry.
final class ModelItem {
  var id: Int?
  var number = 0
  var group: Int?
  var name: String?
  var value: Double?

  static let mapping: Mapping<ModelItem> = Mapping(
    ModelItem.self, "Item", primaryKey: "id", missingPrimaryKey: .insert, make: { ModelItem() }
  ) {
    Attribute("id", \.id)
    Attribute("number", \.number)
    Attribute("group", \.group)
    Attribute("name", \.name)
    // JSON has no NaN.
    Attribute(
      "value", \.value,
      transform: Transform(reading: { value in
        value.string == "none" ? .value(.nan) : value.number.map { .value($0) } ?? .null
      }))
    Index("value")
    Index("name")
    Index("-group", "value")
    Index("group", "name")
    Index("group", "-number")
  }
}

extension ModelItem {
  /// The same entity without a class: a store in memory indexes records. NaN is no value here.
  static let records: Mapping<Record> = Mapping("Item", primaryKey: "id", missingPrimaryKey: .insert) {
    Attribute("id", .integer)
    Attribute("number", .integer)
    Attribute("group", .integer)
    Attribute("name", .string)
    Attribute("value", .number)
    Index("value")
    Index("name")
    Index("-group", "value")
    Index("group", "name")
    Index("group", "-number")
  }
}

/// Plain objects at random: in a store, and as an array.
struct ModelItems {
  /// In the order of a store: ascending by key, then objects without a key as they were made.
  let all: [ModelItem]
  let payloads: [String]
  let plan: Plan

  static let names =
    ["", "a", "e", "\u{E9}", "e\u{301}", "\u{E9}a", "z"]
    + ["b", "c", "\u{E9}", "e\u{301}"].map { String(repeating: "a", count: 360) + $0 }
    + [String(repeating: "a", count: 340), String(repeating: "a", count: 345)]
  static let values = [-1, -0.5, 0, 1, 1.5, 2, 3]

  init(_ count: Int, asRecords: Bool, _ random: inout some RandomNumberGenerator) throws {
    plan = try asRecords ? ModelItem.records.plan() : ModelItem.mapping.plan()
    let keyless = random.below(4) == 0 ? 0 : 1 + random.below(count / 8 + 3)
    all = (0..<count).map { number in
      let item = ModelItem()
      item.id = number < count - keyless ? number - 5 : nil
      item.number = number
      if random.below(8) > 0 { item.group = random.below(5) }
      if random.below(6) > 0 { item.name = Self.names[random.below(Self.names.count)] }
      switch random.below(8) {
      case 0: break
      case 1: item.value = asRecords ? nil : .nan
      default: item.value = Self.values[random.below(Self.values.count)]
      }
      return item
    }
    // Keys come in no order.
    let made = all.filter { $0.id != nil }.shuffled(using: &random) + all.filter { $0.id == nil }
    let objects = made.map { item in
      let members = [
        item.id.map { "\"id\":\($0)" }, "\"number\":\(item.number)", item.group.map { "\"group\":\($0)" },
        item.name.map { "\"name\":\"\($0)\"" },
        item.value.map { "\"value\":\($0.isNaN ? "\"none\"" : "\($0)")" },
      ]
      return "{\(members.compactMap(\.self).joined(separator: ","))}"
    }
    // In several imports, so that numbers and keys have different orders.
    let size = max(1, objects.count / 3)
    payloads = stride(from: 0, to: objects.count, by: size).map {
      "[\(objects[$0..<min($0 + size, objects.count)].joined(separator: ","))]"
    }
  }
}
