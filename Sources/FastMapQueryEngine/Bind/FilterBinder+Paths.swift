/// The kind of a term, by which comparisons are checked.
enum FilterKind: Equatable {
  /// The literal `null`.
  case null
  /// A value; never `json`.
  case value(AttributeKind)
  /// A value inside JSON, or all of it.
  case json
  case list
  case object(entity: Int)
}

/// A path with numbers.
struct BoundPath {
  let path: BoundFilter.Path
  let kind: FilterKind
  /// Whether it ends at a to-many relationship without a selection. The path then has all targets.
  let isBareList: Bool
}

extension FilterBinder {
  /// Where a path has come to.
  private enum Position {
    case object(entity: Int)
    /// At a to-many relationship, whose targets are still to be selected.
    case list(field: Int, of: Int, entity: Int)
    case value(field: Int, AttributeKind)
    /// `start` is the number of the first step inside.
    case json(field: Int, of: Int, start: Int)
  }

  /// The path with numbers; nil after a fault.
  ///
  /// - Parameter needsOne: Whether more than one value is a fault.
  mutating func bind(_ path: FilterPath, of entity: Int, needsOne: Bool) -> BoundPath? {
    guard check(path) else { return nil }
    let outer = nesting
    defer { nesting = outer }
    var steps: [BoundFilter.Step] = []
    var position = Position.object(entity: entity)
    for (index, step) in path.steps.enumerated() {
      switch position {
      case .object(let entity):
        guard let next = follow(index, of: path, entity, &steps) else { return nil }
        position = next
      case .list(let field, let owner, let target):
        nesting += 1
        guard let selectors = selectors(step, index, of: path, target) else { return nil }
        steps.append(.init(field, of: plan.schema.entities[owner], selectors))
        position = .object(entity: target)
      case .value(_, let kind):
        report(path.place, path.names(index), "\(kind.phrase) has no members")
        return nil
      case .json: break
      }
    }
    let (end, kind, isBareList) = finish(position, path, &steps)
    guard let end else { return nil }
    let bound = BoundFilter.Path(steps, end)
    if needsOne, isBareList || !bound.isSingular {
      reportSeveral(path)
      return nil
    }
    return BoundPath(path: bound, kind: kind, isBareList: isBareList)
  }

  /// Checks that a path has not too many steps, and begins at the object that the filter is about.
  mutating func check(_ path: FilterPath) -> Bool {
    if path.scope != nil {
      report(path.place, path.names(), "the object of a closure is used after the closure has ended")
      return false
    }
    if path.steps.count <= Filter.longestPath { return true }
    report(
      path.place, path.names(), "expected at most \(Filter.longestPath) steps, found \(path.steps.count)")
    return false
  }

  mutating func reportSeveral(_ path: FilterPath) {
    if purpose != nil { return reportSorting(path, path.steps.count) }
    report(
      path.place, path.names(),
      "expected one value, found a path that may lead to several; use [?…] with the comparison inside, count(…) "
        + "or an index as in [0]")
  }

  private mutating func reportSorting(_ path: FilterPath, _ count: Int) {
    report(
      path.place, path.names(),
      "expected one value \(purpose ?? ""), found the to-many relationship \(path.names(count))")
  }

  /// Goes on from an object, to one of its fields.
  private mutating func follow(
    _ index: Int, of path: FilterPath, _ entity: Int, _ steps: inout [BoundFilter.Step]
  ) -> Position? {
    let step = path.steps[index]
    guard step.selectors.count == 1, case .member(let name) = step.selectors[0] else {
      report(
        path.place, path.names(index + 1), "expected the name of a field; \(reason(step, index, of: path))")
      return nil
    }
    guard let field = field(name, of: entity, path, index) else { return nil }
    let owner = plan.schema.entities[entity]
    if let inverse = owner.inverse(field) {
      if inverse.isToMany { return .list(field: field, of: entity, entity: inverse.entity) }
      steps.append(.init(field, of: owner))
      return .object(entity: inverse.entity)
    }
    switch owner.fields[field].kind {
    case .attribute(.json):
      if isList(field, of: entity), isMember(index + 1, of: path) {
        report(
          path.place, path.names(index + 2),
          "expected [*], [?…] or an index after the list \(path.names(index + 1))")
        return nil
      }
      return .json(field: field, of: entity, start: index + 1)
    case .attribute(let kind): return .value(field: field, kind)
    case .toOne(let target, _):
      steps.append(.toOne(field: field))
      return .object(entity: target)
    case .toMany(let target, _): return .list(field: field, of: entity, entity: target)
    }
  }

  /// Why a step from an object does not lead to one of its fields.
  private func reason(_ step: FilterStep, _ index: Int, of path: FilterPath) -> String {
    if step.selectors.count > 1 { return "a path goes to one field of an object" }
    // An element of a list is no relationship.
    guard index > 0, case .member? = path.steps[index - 1].selectors.first else {
      return "an object is no list"
    }
    return "\(path.names(index)) is a relationship to one; for several objects, declare it to many "
      + "(\"toMany\": true in a mapping file, ToMany in Swift)"
  }

  private mutating func selectors(
    _ step: FilterStep, _ index: Int, of path: FilterPath, _ target: Int
  ) -> [BoundFilter.Selector]? {
    if nesting > Filter.deepest {
      report(
        path.place, path.names(index),
        "nested too deep; expected at most \(Filter.deepest) to-many relationships, one inside the other")
      return nil
    }
    var selectors: [BoundFilter.Selector] = []
    for selector in step.selectors {
      switch selector {
      case .member:
        if purpose != nil {
          reportSorting(path, index)
          return nil
        }
        report(
          path.place, path.names(index + 1),
          "expected [*], [?…] or an index after the to-many relationship \(path.names(index))")
        return nil
      case .all: selectors.append(.all)
      case .index(let index): selectors.append(.index(index))
      case .slice(let start, let end, let step): selectors.append(.slice(start: start, end: end, step: step))
      case .filtered(let filter):
        selectors.append(.filtered(BoundFilter(entity: target, condition: condition(filter, of: target))))
      }
    }
    return selectors
  }

  private mutating func finish(
    _ position: Position, _ path: FilterPath, _ steps: inout [BoundFilter.Step]
  ) -> (BoundFilter.End?, FilterKind, isBareList: Bool) {
    switch position {
    case .object(let entity): return (.object, .object(entity: entity), false)
    case .value(let field, let kind): return (.attribute(field: field), .value(kind), false)
    case .list(let field, let owner, let target):
      steps.append(.init(field, of: plan.schema.entities[owner], [.all]))
      return (.object, .object(entity: target), true)
    case .json(let field, let owner, let start):
      guard let query = JSONPathQuery(path.steps[start...], path, &self) else { return (nil, .json, false) }
      if start < path.steps.count, let element = element(of: field, in: owner) {
        checkElements(path.steps[start], element, of: path.names(start))
      }
      let isList = query.isWhole && self.isList(field, of: owner)
      return (.json(field: field, query), isList ? .list : .json, false)
    }
  }
}

extension FilterPath {
  /// For messages: `@.author.name`, with some steps or all. Selectors other than names appear as `[*]` or `[…]`.
  package func names(_ count: Int? = nil) -> String {
    let most = 32
    let shown = steps.prefix(min(most, count ?? steps.count)).reduce(into: "@") { text, step in
      guard step.selectors.count == 1, case .member(let name) = step.selectors[0] else {
        text += step.selectors.allSatisfy { if case .all = $0 { true } else { false } } ? "[*]" : "[…]"
        return
      }
      text += Self.text(of: name)
    }
    return (count ?? steps.count) > most ? shown + "…" : shown
  }

  /// A member after a path: `.name`, or `["odd name"]`.
  package static func text(of name: FilterName) -> String {
    switch name {
    case .name(let name): text(of: name)
    case .property(let path): ".(\(path))"
    }
  }

  /// A member after a path: `.name`, or `["odd name"]`.
  package static func text(of name: String) -> String {
    let isPlain =
      !name.isEmpty && name.utf8.count <= 100
      && name.unicodeScalars.allSatisfy {
        $0 == "_" || $0.properties.isAlphabetic || ("0"..."9").contains($0)
      }
    return isPlain ? "." + name : "[" + quoted(name) + "]"
  }
}

extension AttributeKind {
  /// `a string`
  var phrase: String {
    switch self {
    case .boolean: "a boolean"
    case .integer: "an integer"
    case .number: "a number"
    case .decimal: "a decimal"
    case .string: "a string"
    case .date: "a date"
    case .data: "data"
    case .json: "JSON"
    }
  }
}
