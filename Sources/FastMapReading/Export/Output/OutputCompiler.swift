extension PlannedMapping {
  /// The key paths of its key, or of the parts.
  fileprivate var keyPaths: [[JSONKeyPath.Step]] {
    parts.isEmpty
      ? (key.map { [mapping.attributes[$0].keyPath.steps] } ?? [])
      : parts.map { mapping.keyPath(of: $0).steps }
  }

  fileprivate var readsBareKey: Bool { key.map { mapping.attributes[$0].keyPath.isWhole } ?? false }
}

/// Compiles a plan into an ``OutputProgram``.
struct OutputCompiler {
  let plan: Plan
  let options: SerializerOptions
  private let literals = LiteralPool()
  private var steps: [OutputStep] = []
  private var fields: [OutputField] = []
  private var places: [[JSONPath.Step]] = []
  private var groups: [Literal] = []
  private var transforms: [OutputTransform] = []
  /// For each entity, the mapping that writes most of an object; nil if all read a bare key.
  private let fullest: [Int?]
  package let targets: [TargetShapes]

  /// A member of a mapping's objects: the steps that can write it, and its own members.
  private struct Member {
    var name: String
    var uses: [OutputStep] = []
    var members: [Member] = []
    /// The index of each member, by the bytes of its name.
    private var places = PlaceIndex<ByteName>()

    init(name: String) { self.name = name }

    mutating func add(_ path: ArraySlice<String>, _ step: OutputStep) {
      guard let first = path.first else { return uses.append(step) }
      let index = places.place(of: ByteName(first))
      if index == members.count { members.append(Member(name: first)) }
      members[index].add(path.dropFirst(), step)
    }
  }

  /// A field and the key path at which a mapping writes it.
  private struct Use {
    var path: [JSONKeyPath.Step]
    var step: OutputStep
    var attribute: AttributeReader?

    var names: [String]? { JSONKeyPath(path).components }
  }

  static func compile(_ plan: Plan, _ options: SerializerOptions) -> OutputProgram {
    var compiler = OutputCompiler(plan: plan, options: options)
    let layouts = plan.mappings.indices.map { compiler.layout(of: $0) }
    return OutputProgram(
      layouts: layouts, contents: compiler.contents(of: layouts), plan: plan, steps: compiler.steps,
      fields: compiler.fields, places: compiler.places, groups: compiler.groups,
      transforms: compiler.transforms, literals: compiler.literals)
  }

  private init(plan: Plan, options: SerializerOptions) {
    self.plan = plan
    self.options = options
    targets = plan.mappings.map { TargetShapes(of: $0.mapping) }
    var fullest = [Int?](repeating: nil, count: plan.schema.entities.count)
    for (index, planned) in plan.mappings.enumerated()
    where planned.key != nil && !planned.readsBareKey && planned.named == nil && planned.kind == nil {
      let most = fullest[planned.entity].map { plan.mappings[$0].mapping.attributes.count } ?? -1
      if planned.mapping.attributes.count > most { fullest[planned.entity] = index }
    }
    self.fullest = fullest
  }

  private mutating func layout(of number: Int) -> OutputLayout {
    let planned = plan.mappings[number]
    var sources = [OutputSource(mapping: number, entity: planned.entity)]
    var uses: [Use] = []
    collect(0, &uses, &sources)
    let whole = sources.indices.flatMap { source -> [(source: Int, index: Int)] in
      let mapping = plan.mappings[sources[source].mapping].mapping
      return mapping.attributes.indices.filter { mapping.attributes[$0].keyPath.isWhole }.map { (source, $0) }
    }
    let keeps = whole.contains {
      reader($0.index, of: plan.mappings[sources[$0.source].mapping]).readsObjects
    }
    let isReworked = planned.mapping.isRow || uses.contains { $0.names == nil } || keeps && !uses.isEmpty

    var root = Member(name: "")
    for use in uses {
      var step = use.step
      if isReworked {
        step.rework = Int32(fields.count)
        fields.append(OutputField(path: use.path, attribute: use.attribute, destination: step.destination))
        root.add(["\(step.rework)"], step)
      } else if let names = use.names {
        root.add(names[...], step)
      }
    }
    let first = steps.count
    for member in root.members { emit(member, in: [], place: []) }
    let end = steps.count

    let own = whole.filter { $0.source == 0 }
    for (source, index) in own where index == planned.key { addWhole(index, source, sources) }
    for (source, index) in own where index != planned.key { addWhole(index, source, sources) }
    let bareEnd = steps.count
    for (source, index) in whole where source > 0 { addWhole(index, source, sources) }
    let wholeEnd = steps.count
    if let named = planned.named { add(attribute(named, of: planned, source: 0), at: []) }
    let isBareKey = own.contains { $0.index == planned.key }
    return OutputLayout(
      steps: first..<end, bare: end..<bareEnd, whole: bareEnd..<wholeEnd, isReworked: isReworked,
      isRow: planned.mapping.isRow, sources: sources,
      key: planned.parts.isEmpty ? (first..<end).first { steps[$0].isKey && steps[$0].source == 0 } : nil,
      joined: planned.mapping.isScoped ? nil : JoinedKey(of: planned),
      isBareKey: isBareKey,
      keyReadsObjects: isBareKey && isReworked
        && (planned.key.map { reader($0, of: planned).readsObjects } ?? false),
      name: planned.named == nil ? nil : wholeEnd,
      takesTurns: planned.mapping.turns(
        of: MemberTree.tree(of: planned.mapping), to: planned.destinations, targets) != nil,
      isScoped: planned.mapping.isScoped, kindStep: kindStep(of: planned, in: first..<end),
      kinds: kinds(of: planned), shared: shared(sources))
  }

  /// A member beside the key, at best the one that chooses the kind.
  private func kindStep(of planned: PlannedMapping, in own: Range<Int>) -> Int? {
    guard planned.kind != nil, planned.parts.isEmpty else { return nil }
    let others = own.filter { steps[$0].source == 0 && !steps[$0].isKey && steps[$0].kind != .leave }
    if others.contains(where: { steps[$0].writesNull }) { return nil }
    let choosing = planned.choosingAttribute.map { planned.attributeFields[$0] }
    return others.first { steps[$0].kind == .attribute && steps[$0].field == choosing } ?? others.first
  }

  private func kinds(of planned: PlannedMapping) -> OutputKinds? {
    guard let kinds = planned.kinds, !kinds.isKind, let field = planned.kindField else { return nil }
    return OutputKinds(
      field: field, mappings: kinds.all.map { (Array(plan.mappings[$0].mapping.name.utf8), $0) },
      refersByBareKey: Set(kinds.all.map { plan.mappings[$0].keyPaths }).count > 1)
  }

  /// Adds the step of an attribute that reads the whole object.
  private mutating func addWhole(_ index: Int, _ source: Int, _ sources: [OutputSource]) {
    let planned = plan.mappings[sources[source].mapping]
    var step = attribute(index, of: planned, source: source)
    step.rework = Int32(fields.count)
    fields.append(OutputField(path: [], attribute: reader(index, of: planned), destination: 0))
    add(step, at: [])
  }

  func reader(_ index: Int, of planned: PlannedMapping) -> AttributeReader {
    AttributeReader(definition: planned.mapping.attributes[index], transform: planned.transforms[index])
  }

  /// Numbers the content that each mapping writes of an object, and finds contents that include others.
  ///
  /// Only the fullest contents of an entity are compared, because a mapping file may have thousands.
  private func contents(of layouts: [OutputLayout]) -> [OutputContent] {
    var mappings = [[Int]](repeating: [], count: plan.schema.entities.count)
    for (number, layout) in layouts.enumerated() { mappings[layout.entity].append(number) }
    var result = layouts.indices.map { OutputContent(number: $0, fuller: []) }
    for others in mappings where others.count > 1 {
      var numbers: [[Int]: Int] = [:]
      for mapping in others {
        let content = content(of: layouts[mapping])
        if numbers[content] == nil { numbers[content] = mapping }
        result[mapping].number = numbers[content] ?? mapping
      }
      let fullest = numbers.sorted { ($1.key.count, $0.value) < ($0.key.count, $1.value) }.prefix(64)
      var fuller: [Int: [Int]] = [:]
      for (content, number) in numbers {
        let fields = Set(content)
        fuller[number] = fullest.filter { $0.key.count > fields.count && fields.isSubset(of: $0.key) }.map(
          \.value)
      }
      for mapping in others { result[mapping].fuller = fuller[result[mapping].number] ?? [] }
    }
    return result
  }

  /// The fields that a mapping writes, and the mappings of their targets, in ascending order.
  private func content(of layout: OutputLayout) -> [Int] {
    var content: Set<Int> = []
    for step in steps[layout.steps.lowerBound..<layout.bare.upperBound]
    where step.source == 0 && step.kind != .leave {
      content.insert(step.field << 32 | (step.kind == .attribute ? 0 : step.destination + 1))
    }
    if let name = layout.name { content.insert(steps[name].field << 32) }
    for source in layout.sources.dropFirst() where source.parent == 0 {
      content.insert(source.field << 32 | (source.mapping + 1))
    }
    return content.sorted()
  }

  /// Collects the members that a source writes: attributes, then relationships, in the order of declaration.
  private mutating func collect(_ source: Int, _ uses: inout [Use], _ sources: inout [OutputSource]) {
    let planned = plan.mappings[sources[source].mapping]
    for index in attributesInOrder(of: planned.mapping) {
      let attribute = planned.mapping.attributes[index]
      guard !attribute.keyPath.isWhole, attribute.source == .keyPath else { continue }
      uses.append(
        Use(
          path: attribute.keyPath.steps, step: self.attribute(index, of: planned, source: source),
          attribute: reader(index, of: planned)))
    }
    for (index, relationship) in planned.mapping.relationships.enumerated() {
      if let shouldWrite = options.shouldWrite, !shouldWrite(planned.mapping, relationship) { continue }
      let field = planned.relationshipFields[index]
      let destination = planned.destinations[index]
      if relationship.keyPath.isWhole {
        // Plans reject cycles of these, so the recursion ends.
        sources.append(
          OutputSource(
            mapping: destination, entity: plan.mappings[destination].entity, parent: source, field: field,
            isToMany: relationship.isToMany, chain: sources[source].chain + [sources.count]))
        collect(sources.count - 1, &uses, &sources)
        continue
      }
      let kind = relationship.isToMany ? OutputStep.Kind.toMany : .toOne
      uses.append(
        Use(
          path: relationship.keyPath.steps,
          step: step(kind, of: planned.entity, source, field, destination: writer(of: destination))))
    }
  }

  func step(
    _ kind: OutputStep.Kind, of entity: Int, _ source: Int, _ field: Int, destination: Int
  ) -> OutputStep {
    OutputStep(kind: kind, source: source, field: field, destination: destination)
  }

  private func writer(of number: Int) -> Int {
    let mappings = plan.mappings
    guard options.expandsKeys, mappings[number].readsBareKey else { return number }
    return fullest[mappings[number].entity] ?? number
  }

  mutating func attribute(_ index: Int, of planned: PlannedMapping, source: Int) -> OutputStep {
    var step = OutputStep(
      kind: .attribute, form: form(of: planned.mapping.attributes[index].type),
      isKey: index == planned.key || planned.parts.contains { $0.isAttribute(index) },
      source: source, field: planned.attributeFields[index])
    step.writesNull =
      plan.schema.entities[planned.entity].fields[step.field].defaultValue != nil
      && !planned.mapping.attributes[index].rules.keepsOnNull
    if let write = planned.transforms[index]?.write {
      step.transform = Int32(transforms.count)
      transforms.append(write)
    }
    return step
  }

  private func form(of type: AttributeType) -> JSONWriter.Form {
    switch type {
    case .date(let format):
      switch format.all.first {
      case .epoch: .epoch
      case .epochMilliseconds: .epochMilliseconds
      case .pattern(let pattern): .pattern(literals.add(Array(pattern.utf8)))
      case .iso8601, .anyOf, nil: .iso8601
      }
    case .boolean, .integer, .number, .decimal, .string, .data, .json, .list: .plain
    }
  }

  /// Recurses over key paths, which plans keep short.
  private mutating func emit(_ member: Member, in path: [Literal], place: [JSONPath.Step]) {
    let name = literals.add(name: member.name)
    let field = member.uses.first.flatMap { $0.rework < 0 ? nil : fields[Int($0.rework)] }
    let place = field?.path.compactMap(\.place) ?? place + [.member(member.name)]
    let first = steps.count
    for (index, use) in member.uses.enumerated() {
      var step = use
      step.name = name
      step.groups = add(groups: path)
      step.isLast = index == member.uses.count - 1 && member.members.isEmpty
      if step.isLast { step.writesNull = member.uses.contains(where: \.writesNull) }
      add(step, at: place)
    }
    let inner = steps.count
    if !member.members.isEmpty {
      for part in member.members { emit(part, in: path + [name], place: place) }
      add(OutputStep(kind: .leave, groups: add(groups: path + [name])), at: place)
    }
    for index in first..<inner { steps[index].next = steps.count }
  }

  private mutating func add(_ step: OutputStep, at place: [JSONPath.Step]) {
    steps.append(step)
    places.append(place)
  }

  private mutating func add(groups path: [Literal]) -> Range<Int> {
    let first = groups.count
    groups += path
    return first..<groups.count
  }
}

extension JSONKeyPath.Step {
  /// The step to a value; nil for all elements. A message adds the element's index at the end.
  fileprivate var place: JSONPath.Step? {
    switch self {
    case .member(let name): .member(name)
    case .index(let index): .index(index)
    case .each: nil
    }
  }
}
