import FastMapCore
import FastMapInference
import FastMapLMDB

/// The values of a field in the objects that were read.
struct FieldValues {
  /// The objects with a value.
  private(set) var count = 0
  private var range: (least: String, most: String)?
  private var examples: [String] = []
  private var elements = 0

  mutating func add(_ value: JSONTree, isDate: Bool) {
    count += 1
    switch value {
    case .number(let text): widen(to: text) { (Double($0) ?? 0) < (Double($1) ?? 0) }
    case .string(let text) where isDate: widen(to: text, by: <)
    case .string(let text):
      let example = beginning(of: text, most: 28)
      if examples.count < 3, !examples.contains(example) { examples.append(example) }
    case .list(let values): elements += values.count
    default: break
    }
  }

  private mutating func widen(to text: String, by isLess: (String, String) -> Bool) {
    guard let (least, most) = range else { return range = (text, text) }
    range = (isLess(text, least) ? text : least, isLess(most, text) ? text : most)
  }

  /// The range of numbers and dates, the number of elements of lists, or examples.
  var shown: String {
    if let (least, most) = range { return least == most ? least : "\(least) … \(most)" }
    return elements > 0 ? counted(elements, "element") : examples.joined(separator: ", ")
  }
}

extension Description {
  /// The most objects of an entity that are read for a page, and the ones that it shows.
  private static let mostRead = 1000
  private static let sampleCount = 3
  private static let longestSample = 20_000

  /// Adds the values of the first objects of each entity of a store, whose mappings are given, and some objects.
  mutating func addObjects(of store: some Store, _ set: MappingSet) throws {
    var options = SerializerOptions()
    options.depth = 0
    options.cycles = .ancestorAsKey
    options.maxObjectBytes = Self.longestSample
    var export = ExportOptions()
    export.format = .ndjson
    for place in entities.indices where entities[place].counts?.objectCount ?? 0 > 0 {
      guard let plan = try? set.plan(for: entities[place].name) else { continue }
      let serializer = Serializer(plan, options: options)
      let texts = try store.read(plan.schema) { reader in
        var ids: [ObjectID] = []
        try reader.forEachPage(of: 0, keys: nil, isDescending: false, pageSize: Self.mostRead) { _, page in
          ids += page.ids
          return ids.count < Self.mostRead
        }
        return try ids.prefix(Self.mostRead).map { id in
          var text: [UInt8] = []
          do {
            _ = try serializer.export([id], from: &reader, options: export) { text += $0 }
          } catch let error as ExportError {
            return Array("not shown: \(shortened("\(error)"))".utf8)
          }
          return text
        }
      }
      for text in texts {
        let shown = entities[place].add(text)
        if entities[place].samples.count < Self.sampleCount { entities[place].samples.append(shown) }
      }
    }
  }
}

extension Description.Entity {
  /// Adds the values of an object, and returns it as indented JSON. Any other text is returned as it is.
  fileprivate mutating func add(_ text: [UInt8]) -> String {
    guard let object = try? text.withUnsafeBytes({ try JSONTree(parsing: $0) }) else {
      return String(decoding: text, as: UTF8.self)
    }
    readCount += 1
    for member in object.members {
      let isDate = attributes.contains { $0.kind == .date && $0.name == member.name }
      values[member.name, default: FieldValues()].add(member.value, isDate: isDate)
    }
    return String(object.fileText.dropLast())
  }
}
