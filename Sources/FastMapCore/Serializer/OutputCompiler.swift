extension PlannedMapping {
  fileprivate var readsBareKey: Bool { key.map { mapping.attributes[$0].keyPath == nil } ?? false }
}

/// Makes an ``OutputProgram`` of a plan.
struct OutputCompiler {
  private let plan: Plan
  private let options: SerializerOptions
  private let literals = LiteralPool()
  private var steps: [OutputStep] = []
  private var places: [[String]] = []
  private var groups: [Literal] = []
  private var transforms: [OutputTransform] = []
  /// By entity, the mapping that writes most of an object; nil where all read a bare key.
  private let fullest: [Int?]

  /// A member of the objects of a mapping: what may write it, and the members inside of it.
  private struct Member {
    var name: String
    var uses: [OutputStep] = []
    var members: [Member] = []
    /// Where each is among the members, by its bytes.
    private var places: [ByteName: Int] = [:]

    init(name: String) { self.name = name }

    mutating func add(_ path: ArraySlice<String>, _ step: OutputStep) {
      guard let first = path.first else { return uses.append(step) }
      let index = places[ByteName(first)] ?? members.count
      if index == members.count {
        members.append(Member(name: first))
        places[ByteName(first)] = index
      }
      members[index].add(path.dropFirst(), step)
    }
  }

  static func compile(_ plan: Plan, _ options: SerializerOptions) -> OutputProgram {
    var compiler = OutputCompiler(plan: plan, options: options)
    let layouts = plan.mappings.indices.map { compiler.layout(of: $0) }
    return OutputProgram(
      layouts: layouts, steps: compiler.steps, places: compiler.places, groups: compiler.groups,
      transforms: compiler.transforms, literals: compiler.literals)
  }

  private init(plan: Plan, options: SerializerOptions) {
    self.plan = plan
    self.options = options
    var fullest = [Int?](repeating: nil, count: plan.schema.entities.count)
    for (index, planned) in plan.mappings.enumerated() where planned.key != nil && !planned.readsBareKey {
      let most = fullest[planned.entity].map { plan.mappings[$0].mapping.attributes.count } ?? -1
      if planned.mapping.attributes.count > most { fullest[planned.entity] = index }
    }
    self.fullest = fullest
  }

  private mutating func layout(of number: Int) -> OutputLayout {
    let planned = plan.mappings[number]
    var sources = [OutputSource(mapping: number, entity: planned.entity)]
    var root = Member(name: "")
    collect(0, into: &root, &sources)

    let first = steps.count
    for member in root.members { emit(member, in: [], place: []) }
    let end = steps.count

    let whole = planned.mapping.attributes.indices.filter { planned.mapping.attributes[$0].keyPath == nil }
    let isBareKey = planned.key.map(whole.contains) ?? false
    for index in whole where index == planned.key { add(attribute(index, of: planned, source: 0), at: []) }
    for index in whole where index != planned.key { add(attribute(index, of: planned, source: 0), at: []) }
    return OutputLayout(
      steps: first..<end, bare: end..<steps.count, sources: sources,
      key: (first..<end).first { steps[$0].isKey && steps[$0].source == 0 }, isBareKey: isBareKey)
  }

  /// Gathers the members that a source writes: attributes, then relationships, as they were declared.
  private mutating func collect(_ source: Int, into root: inout Member, _ sources: inout [OutputSource]) {
    let planned = plan.mappings[sources[source].mapping]
    for (index, attribute) in planned.mapping.attributes.enumerated() {
      guard let path = attribute.keyPath?.components else { continue }
      root.add(path[...], self.attribute(index, of: planned, source: source))
    }
    for (index, relationship) in planned.mapping.relationships.enumerated() {
      if let shouldWrite = options.shouldWrite, !shouldWrite(planned.mapping, relationship) { continue }
      let field = planned.relationshipFields[index]
      let destination = planned.destinations[index]
      guard let path = relationship.keyPath else {
        // Plans refuse cycles of these, so this ends.
        sources.append(
          OutputSource(
            mapping: destination, entity: plan.mappings[destination].entity, parent: source, field: field,
            isToMany: relationship.isToMany, chain: sources[source].chain + [sources.count]))
        collect(sources.count - 1, into: &root, &sources)
        continue
      }
      guard let names = path.components else { continue }
      let kind = relationship.isToMany ? OutputStep.Kind.toMany : .toOne
      root.add(
        names[...],
        OutputStep(kind: kind, source: source, field: field, destination: writer(of: destination)))
    }
  }

  /// The mapping by which the objects of a mapping are written.
  private func writer(of number: Int) -> Int {
    let mappings = plan.mappings
    guard options.expandsKeys, mappings[number].readsBareKey else { return number }
    return fullest[mappings[number].entity] ?? number
  }

  private mutating func attribute(_ index: Int, of planned: PlannedMapping, source: Int) -> OutputStep {
    var step = OutputStep(
      kind: .attribute, form: form(of: planned.mapping.attributes[index].type), isKey: index == planned.key,
      source: source, field: planned.attributeFields[index])
    if let write = planned.transforms[index]?.write {
      step.transform = Int32(transforms.count)
      transforms.append(write)
    }
    return step
  }

  private func form(of type: AttributeType) -> OutputStep.Form {
    switch type {
    case .date(let format):
      switch format.all.first {
      case .epoch: .epoch
      case .epochMilliseconds: .epochMilliseconds
      case .pattern(let pattern): .pattern(literals.add(Array(pattern.utf8)))
      case .iso8601, .anyOf, nil: .iso8601
      }
    case .boolean, .integer, .number, .string, .data, .json: .plain
    }
  }

  /// Recurses over key paths, which plans keep short.
  private mutating func emit(_ member: Member, in path: [Literal], place: [String]) {
    let name = literals.add(name: member.name)
    let place = place + [member.name]
    let first = steps.count
    for (index, use) in member.uses.enumerated() {
      var step = use
      step.name = name
      step.groups = add(groups: path)
      step.isLast = index == member.uses.count - 1 && member.members.isEmpty
      add(step, at: place)
    }
    let inner = steps.count
    if !member.members.isEmpty {
      for part in member.members { emit(part, in: path + [name], place: place) }
      add(OutputStep(kind: .leave, groups: add(groups: path + [name])), at: place)
    }
    for index in first..<inner { steps[index].next = steps.count }
  }

  private mutating func add(_ step: OutputStep, at place: [String]) {
    steps.append(step)
    places.append(place)
  }

  private mutating func add(groups path: [Literal]) -> Range<Int> {
    let first = groups.count
    groups += path
    return first..<groups.count
  }
}
