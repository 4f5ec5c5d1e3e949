/// Some results of a query, and the position after them.
public struct QueryPage<Element> {
  /// The results, in the order of the query.
  public let elements: [Element]

  /// The position after the last result. Without results it is the position that the query began at, if it had one.
  public let position: Position?

  package init(elements: [Element], position: Position?) {
    self.elements = elements
    self.position = position
  }
}

extension QueryPage: Sendable where Element: Sendable {}

extension Query {
  /// The checked query, if there are positions in it.
  package func pageable(in plan: Plan) throws(FilterError) -> BoundQuery {
    let bound = try bound(to: plan)
    guard plan.schema.entities[bound.entity].keyKind != nil, entity != nil || plan.root.key != nil else {
      let name =
        entity == nil
        ? "the mapping \(quoted(plan.root.name))" : escaped(plan.schema.entities[bound.entity].name)
      throw FilterError(.init(.unknown, "a position needs a primary key; \(name) has none"))
    }
    return bound
  }
}

extension StoreReader {
  /// The numbers and keys of all results.
  package mutating func page(of query: BoundQuery) throws -> ObjectPage {
    var found = ObjectPage()
    var run = QueryRun(query)
    try run.forEachPage(&self) { _, page in
      for (id, key) in zip(page.ids, page.keys) { found.append(id, key) }
      return true
    }
    return found
  }

  /// The position after the last of some results; without results, the start of the query.
  package mutating func position<Source>(
    behind page: ObjectPage, of bound: BoundQuery, _ query: Query<Source>
  ) throws -> Position? {
    guard let id = page.ids.last, let last = page.keys.last else {
      if case .position(let position)? = query.start { return position }
      return nil
    }
    guard let key = last else {
      let name = escaped(bound.plan.schema.entities[bound.entity].name)
      throw FilterError(
        .init(
          .unknown,
          "no position follows an object without a key: the last \(name) of the page has none"))
    }
    return Position(
      query: query.identity(of: bound.entity, in: bound.plan), values: try sortValues(of: id, bound), key: key
    )
  }
}
