package import FastMapCore
internal import FastMapStoreTesting

/// An object of the model. The model computes the expected answers of a store in the simplest way.
package final class ModelObject {
  package enum Field {
    case value(ModelValue)
    case one(ModelObject?)
    case many([ModelObject])
    /// Nil for no value.
    case json(ModelJSON?)
  }

  package let entity: String
  package let key: PrimaryKey?
  package var fields: [String: Field] = [:]
  /// The inverses. No payload has them.
  package var inverses: [String: Field] = [:]

  init(_ entity: String, _ key: PrimaryKey?) {
    self.entity = entity
    self.key = key
  }

  /// The objects among `objects` that refer to it, in their order.
  func owners(_ name: String, _ objects: [ModelObject]) -> [ModelObject] {
    objects.filter { object in
      switch object.fields[name] {
      case .one(let target?)?: target === self
      case .many(let targets)?: targets.contains { $0 === self }
      default: false
      }
    }
  }
}

package enum ModelValue: Equatable {
  case none, boolean(Bool), number(Double), string(String), date(Timestamp), data([UInt8])

  package static func == (a: ModelValue, b: ModelValue) -> Bool {
    switch (a, b) {
    case (.none, .none): true
    case (.boolean(let a), .boolean(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
    case (.date(let a), .date(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    default: false
    }
  }
}

package indirect enum ModelJSON: Equatable {
  case null, boolean(Bool), number(Double), string(String), array([ModelJSON])
  /// Sorted by name.
  case object([(String, ModelJSON)])

  package static func == (a: ModelJSON, b: ModelJSON) -> Bool { a.text.utf8.elementsEqual(b.text.utf8) }

  var text: String {
    switch self {
    case .null: "null"
    case .boolean(let value): "\(value)"
    case .number(let value): value == value.rounded() ? "\(Int(value))" : "\(value)"
    case .string(let value): "\"\(value)\""
    case .array(let values): "[" + values.map(\.text).joined(separator: ",") + "]"
    case .object(let members): "{" + members.map { "\"\($0)\":\($1.text)" }.joined(separator: ",") + "}"
    }
  }
}

/// Something that a path leads to.
package enum ModelNode {
  case value(ModelValue)
  case object(ModelObject)
  case list([ModelObject])
  case json(ModelJSON, isWhole: Bool)
}

/// The value of a term in a comparison.
enum ModelOperand {
  case nothing
  case value(ModelValue)
  case object(ModelObject)
  case json(ModelJSON)
}

extension Filter {
  /// The expected result of the filter for an object.
  package func holds(for node: ModelNode) -> Bool {
    switch tree {
    case .all(let filters): filters.allSatisfy { $0.holds(for: node) }
    case .any(let filters): filters.contains { $0.holds(for: node) }
    case .not(let filter): !filter.holds(for: node)
    case .exists(let path): !path.nodes(from: node).isEmpty
    case .compare(let a, let comparison, let b): compare(a, comparison, b, node)
    case .isOne(let term, let literals): literals.contains { compare(term, .equal, .literal($0), node) }
    case .text(let a, let test, let b): text(a.operand(node), test, b.operand(node))
    case .tooDeep, .refused: false
    }
  }

  private func compare(
    _ a: FilterTerm, _ comparison: BoundFilter.Comparison, _ b: FilterTerm, _ node: ModelNode
  )
    -> Bool
  {
    var (left, right) = (a.operand(node), b.operand(node))
    // Beside a value inside JSON, null is JSON's.
    if case .literal(.null, _) = b, a.isInsideJSON(node) { right = .json(.null) }
    if case .literal(.null, _) = a, b.isInsideJSON(node) { left = .json(.null) }
    let isEqual = left.equals(right)
    let order = left.order(to: right)
    return switch comparison {
    case .equal: isEqual
    case .notEqual: !isEqual
    case .less: order == -1
    case .greater: order == 1
    case .lessOrEqual: order == -1 || isEqual
    case .greaterOrEqual: order == 1 || isEqual
    }
  }

  private func text(_ a: ModelOperand, _ test: BoundFilter.TextTest, _ b: ModelOperand) -> Bool {
    guard case .string(let string)? = a.plain, case .string(let otherString)? = b.plain else { return false }
    // By their bytes, because Swift takes strings for equal that differ.
    let (text, other) = (Array(string.utf8), Array(otherString.utf8))
    let isOpen = otherString.hasSuffix(".*")
    let part = isOpen ? other.dropLast(2) : other[...]
    switch test {
    case .hasPrefix: return text.starts(with: other)
    case .contains: return other.isEmpty || text.firstRange(of: other) != nil
    // The patterns of these tests are letters, with `.*` at the end of some.
    case .match: return isOpen ? text.starts(with: part) : text == other
    case .search: return part.isEmpty || text.firstRange(of: part) != nil
    }
  }
}

extension FilterTerm {
  func operand(_ node: ModelNode) -> ModelOperand {
    switch self {
    case .literal(let literal, _): return literal.operand
    case .path(let path):
      return path.nodes(from: node).first?.operand ?? .nothing
    case .count(let path): return .value(.number(Double(path.nodes(from: node).count)))
    case .value(let path):
      let nodes = path.nodes(from: node)
      return nodes.count == 1 ? nodes[0].operand : .nothing
    case .length(.path(let path)) where path.endsInList(node):
      return .value(.number(Double(path.nodes(from: node).count)))
    case .length(let term):
      switch term.operand(node) {
      case .value(.string(let text)), .json(.string(let text)):
        return .value(.number(Double(text.unicodeScalars.count)))
      case .json(.array(let values)): return .value(.number(Double(values.count)))
      case .json(.object(let members)): return .value(.number(Double(members.count)))
      default: return .nothing
      }
    case .lowercased(let term):
      switch term.operand(node) {
      case .value(.string(let text)): return .value(.string(text.modelLowercased))
      case .json(.string(let text)): return .json(.string(text.modelLowercased))
      default: return .nothing
      }
    }
  }

  /// Whether a path goes on inside a `json` attribute.
  func isInsideJSON(_ node: ModelNode) -> Bool {
    switch self {
    case .path(let path), .value(let path):
      if case .json = node { return true }
      return path.steps.dropLast().contains { step in
        if case .member(.name("extra"))? = step.selectors.first { true } else { false }
      }
    case .length(let term), .lowercased(let term): return term.isInsideJSON(node)
    case .literal, .count: return false
    }
  }
}

extension FilterLiteral {
  fileprivate var operand: ModelOperand {
    switch self {
    case .null: .nothing
    case .boolean(let value): .value(.boolean(value))
    case .integer(let value): .value(.number(Double(value)))
    case .unsigned(let value): .value(.number(Double(value)))
    case .number(let value): .value(.number(value))
    case .decimal(let value): .value(.number(value.nearest))
    case .string(let value): .value(.string(value))
    case .date(let value): .value(.date(value))
    case .data(let value): .value(.data(value))
    }
  }
}

extension ModelNode {
  var operand: ModelOperand {
    switch self {
    case .value(let value): .value(value)
    case .object(let object): .object(object)
    case .json(let json, _): .json(json)
    case .list: .nothing
    }
  }
}

extension ModelOperand {
  /// A value of JSON as one of its own kind.
  var plain: ModelValue? {
    switch self {
    case .value(let value): value
    case .json(.boolean(let value)): .boolean(value)
    case .json(.number(let value)): .number(value)
    case .json(.string(let value)): .string(value)
    default: nil
    }
  }

  func equals(_ other: ModelOperand) -> Bool {
    switch (self, other) {
    case (.nothing, .nothing): return true
    case (.nothing, _), (_, .nothing): return false
    case (.object(let a), .object(let b)): return a === b
    case (.object(let object), .value(let value)), (.value(let value), .object(let object)):
      return object.key.map { $0.value == value } ?? false
    case (.json(let a), .json(let b)): return a == b
    default: break
    }
    // Dates and data of a filter's text are strings.
    switch (plain, other.plain) {
    case (.date(let date)?, .string(let text)?), (.string(let text)?, .date(let date)?):
      return Model.date(text) == date
    case (.data(let data)?, .string(let text)?), (.string(let text)?, .data(let data)?):
      return Model.data(text) == data
    case (let a?, let b?): return a == b
    default: return false
    }
  }

  func order(to other: ModelOperand) -> Int? {
    if case .object(let object) = self {
      return object.key.flatMap { ModelOperand.value($0.value).order(to: other) }
    }
    if case .object(let object) = other { return object.key.flatMap { order(to: .value($0.value)) } }
    switch (plain, other.plain) {
    case (.number(let a)?, .number(let b)?): return a < b ? -1 : a == b ? 0 : 1
    case (.string(let a)?, .string(let b)?): return a.unicodeScalars.order(to: b.unicodeScalars)
    case (.date(let a)?, .date(let b)?): return a < b ? -1 : a == b ? 0 : 1
    case (.data(let a)?, .data(let b)?): return a.order(to: b)
    case (.date(let a)?, .string(let text)?):
      guard let b = Model.date(text) else { return nil }
      return a < b ? -1 : a == b ? 0 : 1
    case (.string, .date), (.string, .data): return other.order(to: self).map { -$0 }
    case (.data(let a)?, .string(let text)?): return Model.data(text).map { a.order(to: $0) }
    default: return nil
    }
  }
}

extension Sequence where Element: Comparable {
  fileprivate func order(to other: some Sequence<Element>) -> Int {
    lexicographicallyPrecedes(other) ? -1 : other.lexicographicallyPrecedes(self) ? 1 : 0
  }
}

extension PrimaryKey {
  var value: ModelValue {
    switch self {
    case .integer(let value): .number(Double(value))
    case .string(let text): .string(text)
    }
  }
}

extension FilterPath {
  package func nodes(from root: ModelNode) -> [ModelNode] {
    var nodes = [root]
    for step in steps { nodes = nodes.flatMap { node in step.selectors.flatMap { $0.nodes(from: node) } } }
    // A to-many relationship stands for its targets.
    return nodes.flatMap { node -> [ModelNode] in
      switch node {
      case .list(let objects): objects.map { .object($0) }
      case .json(.null, isWhole: true): []
      default: [node]
      }
    }
  }

  func endsInList(_ root: ModelNode) -> Bool {
    guard case .object = root, case .member(.name(let name))? = steps.last?.selectors.first else {
      return false
    }
    return ["tags", "friends", "members", "owners", "staff", "followers"].contains(name)
  }
}

extension FilterSelector {
  fileprivate func nodes(from node: ModelNode) -> [ModelNode] {
    switch (self, node) {
    case (.member(.name(let name)), .object(let object)):
      switch object.fields[name] ?? object.inverses[name] {
      case .value(.none)?, .one(nil)?, .json(nil)?, nil: return []
      case .value(let value)?: return [.value(value)]
      case .one(let target?)?: return [.object(target)]
      case .many(let targets)?: return [.list(targets)]
      case .json(let json?)?: return [.json(json, isWhole: true)]
      }
    case (.member(.name(let name)), .json(.object(let members), _)):
      return members.filter { $0.0 == name }.map { .json($0.1, isWhole: false) }
    case (_, .list(let objects)): return chosen(objects.map { .object($0) })
    case (.index, .json(.array(let values), _)), (.slice, .json(.array(let values), _)),
      (.all, .json(.array(let values), _)), (.filtered, .json(.array(let values), _)):
      return chosen(values.map { .json($0, isWhole: false) })
    case (.all, .json(.object(let members), _)), (.filtered, .json(.object(let members), _)):
      return chosen(members.map { .json($0.1, isWhole: false) })
    default: return []
    }
  }

  private func chosen(_ nodes: [ModelNode]) -> [ModelNode] {
    switch self {
    case .member: return []
    case .all: return nodes
    case .index(let index):
      let place = index < 0 ? index + Int64(nodes.count) : index
      return place >= 0 && place < nodes.count ? [nodes[Int(place)]] : []
    case .slice(let start, let end, let step):
      // Word for word as RFC 9535, 2.3.4.2.2.
      let length = Int64(nodes.count)
      func normal(_ i: Int64) -> Int64 { i >= 0 ? i : length + i }
      var result: [ModelNode] = []
      if step > 0 {
        let lower = min(max(normal(start ?? 0), 0), length)
        let upper = min(max(normal(end ?? length), 0), length)
        var i = lower
        while i < upper {
          result.append(nodes[Int(i)])
          i += step
        }
      } else if step < 0 {
        let upper = min(max(normal(start ?? length - 1), -1), length - 1)
        let lower = min(max(end.map(normal) ?? -1, -1), length - 1)
        var i = upper
        while lower < i {
          result.append(nodes[Int(i)])
          i += step
        }
      }
      return result
    case .filtered(let filter): return nodes.filter { filter.holds(for: $0) }
    }
  }
}

extension String {
  /// In lower case; the model has no word that ends with a capital sigma.
  var modelLowercased: String { unicodeScalars.map(\.properties.lowercaseMapping).joined() }
}
