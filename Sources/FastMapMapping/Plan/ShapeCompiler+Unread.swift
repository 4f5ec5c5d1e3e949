/// The members of values that no field reads: their places, and the ones that do not count.
extension ShapeCompiler {
  /// The members of a value that a rest does not have; nil where no rest has members of the value.
  func restLevel(_ use: Use) -> RestMembers.Level? {
    if case .mapping(let number) = use { return mappings[number].rest?.read }
    guard let (number, steps) = way(of: use) else { return nil }
    return steps.reduce(mappings[number].rest?.read) { level, step in
      guard case .member(let name) = step else { return nil }
      return level?.members[Array(name.utf8)] ?? nil
    }
  }

  /// Whether some kinds of a mapping ignore all other members: the object must have them until its kind is chosen.
  func isIgnoredByKind(_ uses: Set<Use>) -> Bool {
    uses.contains { use in
      guard case .mapping(let number) = use, let kinds = mappings[number].kinds, !kinds.isKind else {
        return false
      }
      return !endsAtObjects && !ignoresAll(number) && kinds.all.contains(where: ignoresAll)
    }
  }

  /// The place of a value, for its members that no field reads: its mapping, or the mapping whose key paths lead through it. Nil
  /// where they do not count.
  func title(of uses: Set<Use>) -> String? {
    let all = uses.compactMap { if case .mapping(let number) = $0 { number } else { nil } }
    // An object that is read as a whole by the target of a relationship is its owner's, and one of a kind the chooser's.
    let inner = Set(
      all.flatMap { number in
        let planned = mappings[number]
        let wholes = zip(planned.mapping.relationships, planned.destinations)
          .filter(\.0.keyPath.isWhole).map(\.1)
        return (planned.kinds.map { $0.isKind ? [] : $0.all } ?? []) + wholes
      })
    if let number = all.filter({ !inner.contains($0) }).min() ?? all.min() {
      return ignoresAll(number) ? nil : mappings[number].mapping.name
    }
    let ways = uses.compactMap { use -> (number: Int, steps: [JSONKeyPath.Step])? in
      guard tree(of: use)?.members.isEmpty == false, let (number, steps) = way(of: use) else { return nil }
      return (number, steps)
    }
    guard let first = ways.min(by: { $0.number < $1.number }) else { return nil }
    if ignoresAll(first.number) { return nil }
    return "\(mappings[first.number].mapping.name).\(JSONKeyPath.text(of: first.steps[...]))"
  }

  /// The mapping whose key paths lead through a value, and the way to it.
  private func way(of use: Use) -> (number: Int, steps: [JSONKeyPath.Step])? {
    guard case .member(let number, let places) = use, number < mappings.count else { return nil }
    var (steps, members) = ([JSONKeyPath.Step](), trees[number])
    for place in places {
      steps.append(members[place].step)
      members = members[place].members
    }
    return (owners[number], steps)
  }

  /// The members that a mapping ignores, or the one whose kind it is. The name of the member that has an object may be repeated in it.
  private func ignores(of number: Int) -> [JSONKeyPath] {
    let mapping = mappings[number].mapping
    let chooser = mappings[number].kinds.map { $0.isKind ? mappings[$0.union].mapping.ignores : [] }
    let names = mapping.attributes.filter { $0.source == .memberName }.map(\.keyPath)
    return mapping.ignores + (chooser ?? []) + names
  }

  private func ignoresAll(_ number: Int) -> Bool { ignores(of: number).contains(.wholeValue) }

  /// The members of a value that a mapping ignores.
  func ignoredMembers(_ uses: Set<Use>) -> [String] {
    var names: Set<String> = []
    for use in uses {
      let (number, way): (Int, [JSONKeyPath.Step])
      switch use {
      case .mapping(let mapping): (number, way) = (mapping, [])
      case .outer: continue
      case .member:
        guard let found = self.way(of: use) else { continue }
        (number, way) = found
      }
      for path in ignores(of: number) where path.steps.dropLast() == way[...] {
        if case .member(let name)? = path.steps.last { names.insert(name) }
      }
    }
    return names.sorted()
  }
}
