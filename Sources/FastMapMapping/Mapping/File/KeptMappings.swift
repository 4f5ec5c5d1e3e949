internal import FastMapJSON
package import FastMapStoreKit

/// The mapping file that a store keeps, and the mappings that were imported at the root.
///
///     let kept = try KeptMappings(in: &reader)
///     let set = try kept?.set
package struct KeptMappings: Equatable, Sendable {
  /// The text of the file.
  package var file: [UInt8]
  /// The names of the mappings that were imported at the root, in the order of their first imports.
  package var roots: [String] = []

  package init(file: [UInt8]) { self.file = file }

  /// Reads the texts of a store; nil if it keeps no file.
  package init?<R: StoreReader>(in reader: inout R) throws {
    guard var texts = reader as? any TextReader, let file = try texts.text(.mappings) else { return nil }
    self.file = file
    if let names = try texts.text(.roots), case .list(let names) = try JSONTree(parsing: names) {
      roots = names.compactMap(\.text)
    }
  }

  /// The mappings of the file.
  ///
  /// - Throws: ``MappingDefinitionError``; ``JSONSyntaxError``.
  package var set: MappingSet { get throws { try MappingSet(file: file) } }

  /// The names of the mappings in another file for the entities that were imported at the root.
  package func roots(in other: MappingSet) throws -> [String] {
    let own = try set
    var found: [String] = []
    for root in roots {
      let entity = own[root]?.entity ?? root
      let heirs = other.mappings.filter { $0.entity == entity || $0.was == entity }.map(\.name)
      for name in other[root] == nil ? heirs : [root] where !found.contains(name) { found.append(name) }
    }
    return found
  }

  /// Writes the texts that differ from `old`.
  ///
  /// - Returns: False if the store keeps no texts.
  package func write<W: StoreWriter>(to writer: inout W, since old: KeptMappings?) throws -> Bool {
    guard var texts = writer as? any TextWriter, texts.keepsMappings else { return false }
    if file != old?.file { try texts.keep(file, as: .mappings) }
    if roots != old?.roots ?? [] {
      try texts.keep(Array(JSONTree.list(roots.map { .string($0) }).line.utf8), as: .roots)
    }
    return true
  }

  /// The text of a kept file with the mappings of a later one; nil if they are not valid together.
  package static func file(_ kept: [UInt8], adding later: [UInt8]) -> [UInt8]? {
    var mappings = KeptMappings(file: kept)
    do { try mappings.add(later) } catch { return nil }
    return mappings.file
  }

  /// The kept file with the mappings of a later file, which replace mappings of the same name.
  ///
  /// A file with all kept mappings takes the place of the kept file as it is. Else the other kept mappings first take the types
  /// and names that the later file gives to their entities.
  ///
  /// - Throws: ``MappingDefinitionError`` if the mappings are not valid together.
  package mutating func add(_ later: [UInt8]) throws {
    if later == file { return }
    let (old, new) = (try JSONTree(parsing: file), try JSONTree(parsing: later))
    var members = old["mappings"]?.members ?? []
    let newMembers = new["mappings"]?.members ?? []
    let places = NameIndex(newMembers.map(\.name))
    guard members.contains(where: { places[$0.name] == nil }) else { return file = later }
    let changes = FileChanges(newMembers, kept: members)
    var isTaken = [Bool](repeating: false, count: newMembers.count)
    for index in members.indices {
      if let place = places[members[index].name] {
        members[index] = newMembers[place]
        isTaken[place] = true
      } else {
        changes.apply(to: &members[index])
      }
    }
    members += newMembers.indices.filter { !isTaken[$0] }.map { newMembers[$0] }
    var tree = old
    if new["inferred"] != .boolean(true) { tree["inferred"] = nil }
    tree["mappings"] = .object(members)
    let text = Array(tree.fileText.utf8)
    _ = try MappingSet(file: text)
    file = text
  }
}

extension Store {
  /// The mappings of the file that the store keeps; nil if it keeps none.
  ///
  ///     let plan = try store.mappings()?.plan(for: "Order")
  ///
  /// A store keeps the file of an import that gives one: `ImportOptions.mappingFile`. The stores in a file and on a server do; the
  /// store in memory keeps none.
  ///
  /// - Throws: ``MappingDefinitionError`` if this version of FastMap does not read the file. Errors of the store.
  /// - Complexity: O(*n*) in the bytes of the file.
  public func mappings() throws -> MappingSet? { try keptMappings()?.set }

  /// The text of the file that the store keeps, and the mappings that were imported at the root.
  package func keptMappings() throws -> KeptMappings? {
    try read(Schema(entities: [])) { try KeptMappings(in: &$0) }
  }
}
