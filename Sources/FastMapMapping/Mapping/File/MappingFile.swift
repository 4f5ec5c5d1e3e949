// {"fastmap": 1, "mappings": {"Person": {…}, "Car": {…}}}
//
// A file is read in two steps. The first turns JSON into mappings and notes whatever has a wrong shape. The second
// checks the meaning of mappings, as for mappings that were made in Swift. This step leaves out mappings with a wrong shape
// and all mappings that refer to them, so that one mistake is not reported again as its consequences.

extension MappingSet {
  /// Reads a mapping file.
  ///
  ///     let mappings = try MappingSet(file: bytes)
  ///     let plan = try mappings.plan(for: "Person")
  ///
  /// All mappings of the file are checked, even unused ones. Mappings, attributes and relationships keep the order of
  /// the file. A field without a key path stands at its name: one member, even if the name has a dot.
  ///
  /// - Parameter json: The file's text, borrowed for the call.
  /// - Throws: ``MappingDefinitionError`` with every fault and its place in the file; ``JSONSyntaxError`` for a text
  ///   that is not JSON.
  /// - Complexity: O(*n*) in the bytes.
  public init(file json: some JSONSource & ~Escapable) throws {
    self = try json.withJSON { bytes in
      let document = try JSONDocument(parsing: bytes, rejectsDuplicates: true, keepsReals: true)
      return try document.withRoot { root in try MappingFileReader.read(root, document.bigIntegers) }
    }
  }
}

/// Reads the mappings of one file and collects their faults.
struct MappingFileReader {
  private(set) var faults: [MappingDefinitionError.Fault] = []
  let bigIntegers: BigIntegers?

  /// The version of mapping files that it reads.
  private static let version: Int64 = 1

  static func read(
    _ root: JSONNode, _ bigIntegers: BigIntegers?
  ) throws(MappingDefinitionError) -> MappingSet {
    var reader = MappingFileReader(bigIntegers: bigIntegers)
    let entries = try reader.entries(of: root)

    var mappings: [MappingDefinition] = []
    var isSound: [Bool] = []
    for (name, node) in entries {
      let before = reader.faults.count
      mappings.append(reader.mapping(named: name, node))
      isSound.append(reader.faults.count == before)
    }
    let set = MappingSet(mappings)
    reader.checkMeaning(of: set, isSound: isSound)
    guard reader.faults.isEmpty else { throw MappingDefinitionError(reader.faults(inTheOrderOf: set)) }
    return set
  }

  mutating func fault(_ place: JSONPath, _ reason: String) {
    faults.append(.init(place: place, reason: reason))
  }

  mutating func fault(_ place: JSONPath, expected: String, found node: JSONNode?) {
    fault(place, "expected \(expected), found \(node?.found ?? "nothing")")
  }

  /// The mappings' names and values. Throws where there is no use in going on.
  private mutating func entries(of root: JSONNode) throws(MappingDefinitionError) -> [(
    name: String, node: JSONNode
  )] {
    let place = JSONPath()
    let version = root["fastmap"]
    let mappings = root["mappings"]
    guard root.isObject, version != nil || mappings != nil else {
      let found = root.isObject ? "an object without them" : root.found
      fault(place, #"expected a mapping file, an object with "fastmap" and "mappings", found \#(found)"#)
      throw MappingDefinitionError(faults)
    }
    if let found = version?.integer, found != Self.version {
      fault(
        place.appending("fastmap"),
        "this version of FastMap reads mapping files of version \(Self.version), found version \(found)")
      throw MappingDefinitionError(faults)
    }
    if version?.integer == nil {
      fault(place.appending("fastmap"), expected: "the version \(Self.version)", found: version)
    }
    checkMembers(of: root, at: place, known: ["fastmap", "inferred", "mappings"], owner: "a mapping file")
    _ = boolean("inferred", of: root, at: place)
    guard let mappings, let members = mappings.members else {
      fault(place.appending("mappings"), expected: "an object", found: mappings)
      return []
    }
    let entries = members.map { (name: String(decoding: $0.name, as: UTF8.self), node: $0.value) }
    if entries.isEmpty { fault(place.appending("mappings"), "expected at least one mapping, found none") }
    return entries
  }

  /// The second step.
  private mutating func checkMeaning(of set: MappingSet, isSound: [Bool]) {
    let closed = Self.closed(set, isSound)
    do throws(MappingDefinitionError) {
      _ = try PlanCompiler.reach(
        zip(set.mappings, closed).filter { $0.1 }.map { $0.0 }, in: set, isOnMain: false)
    } catch {
      faults += error.faults
    }
    var names = Suggestions(set)
    for (mapping, isClosed) in zip(set.mappings, closed) where !isClosed {
      for relationship in mapping.relationships {
        guard case .named(let name) = relationship.destination, set[name] == nil else { continue }
        fault(
          mapping.place.appending(["relationships", relationship.name, "mapping"]),
          names.unknown("mapping", named: name, verb: "no mapping named"))
      }
      for (place, destination) in mapping.kindPlaces {
        guard case .named(let name) = destination, set[name] == nil else { continue }
        fault(place, names.unknown("mapping", named: name, verb: "no mapping named"))
      }
      for inverse in mapping.inverses {
        guard case .named(let name) = inverse.mapping, set[name] == nil else { continue }
        fault(
          mapping.place.appending(["relationships", inverse.name, "inverseOf"]),
          names.unknown("mapping", named: name, verb: "no mapping named"))
      }
    }
  }

  /// For each mapping, whether it reaches sound mappings only.
  private static func closed(_ set: MappingSet, _ isSound: [Bool]) -> [Bool] {
    if !isSound.contains(false) { return isSound }
    let numbers = Dictionary(
      zip(set.mappings.map { Array($0.name.utf8) }, set.mappings.indices), uniquingKeysWith: { $1 })
    var owners = [[Int]](repeating: [], count: set.mappings.count)
    for (index, mapping) in set.mappings.enumerated() {
      let others = mapping.relationships.map(\.destination) + mapping.inverses.map(\.mapping)
      for case .named(let name) in others + mapping.kindPlaces.map(\.destination) {
        if let destination = numbers[Array(name.utf8)] { owners[destination].append(index) }
      }
      // A kind is compiled with the mapping that chooses it.
      for name in mapping.kinds?.names ?? [] {
        if let kind = numbers[Array(name.utf8)] { owners[index].append(kind) }
      }
    }
    var closed = isSound
    var pending = isSound.indices.filter { !isSound[$0] }
    while let index = pending.popLast() {
      for owner in owners[index] where closed[owner] {
        closed[owner] = false
        pending.append(owner)
      }
    }
    return closed
  }

  /// Faults of the file as a whole first, then mapping by mapping.
  private func faults(inTheOrderOf set: MappingSet) -> [MappingDefinitionError.Fault] {
    let numbers = Dictionary(
      zip(set.mappings.map { JSONPath.Step.member($0.name) }, set.mappings.indices), uniquingKeysWith: { $1 })
    let ranked = faults.enumerated().map { index, fault in
      (mapping: fault.place.steps.dropFirst().first.flatMap { numbers[$0] } ?? -1, index: index, fault: fault)
    }
    return ranked.sorted { ($0.mapping, $0.index) < ($1.mapping, $1.index) }.map(\.fault)
  }
}
