/// Checks of relationships that read their owner's own representation.
extension MappingValidator {
  /// Objects that one representation may make, itself included.
  static let mostWholes = 64

  /// A chain of relationships that all read their owner's own representation must end, and make only so many objects of it:
  /// two in each of thirty mappings would make 2³⁰.
  mutating func checkWholes(_ mappings: [MappingDefinition], _ destinations: [[Int?]]) {
    /// How many objects one representation makes.
    var sizes = [Int](repeating: 1, count: mappings.count)
    var state = [UInt8](repeating: 0, count: mappings.count)  // 1 on the chain, 2 done
    var places = [Int](repeating: 0, count: mappings.count)  // on the chain
    func next(_ index: Int) -> [(RelationshipDefinition, Int)] {
      zip(mappings[index].relationships, destinations[index]).compactMap { relationship, destination in
        guard relationship.keyPath.isWhole, let destination else { return nil }
        return (relationship, destination)
      }
    }
    for start in mappings.indices where state[start] == 0 {
      var chain = [(index: start, edges: next(start)[...])]
      state[start] = 1
      while let last = chain.indices.last {
        guard let (relationship, destination) = chain[last].edges.popFirst() else {
          let index = chain.removeLast().index
          state[index] = 2
          for (_, destination) in next(index) where state[destination] == 2 {
            sizes[index] = min(sizes[index] + sizes[destination], Self.mostWholes + 1)
          }
          if sizes[index] > Self.mostWholes, !next(index).contains(where: { sizes[$0.1] > Self.mostWholes }) {
            fault(
              mappings[index].place.appending("relationships"),
              "expected at most \(Self.mostWholes) objects that read the same representation, found more")
          }
          continue
        }
        if state[destination] == 1 {
          fault(
            mappings[chain[last].index].place.appending(["relationships", relationship.name, "keyPath"]),
            "a cycle of relationships that read the same representation would never end: "
              + Self.way(chain[places[destination]...].lazy.map { escaped(mappings[$0.index].name) })
              + " → " + escaped(mappings[destination].name))
        } else if state[destination] == 0 {
          state[destination] = 1
          places[destination] = chain.count
          chain.append((destination, next(destination)[...]))
        }
      }
    }
  }

  /// Names with arrows between them; of many, the first and the last.
  private static func way(_ names: some RandomAccessCollection<String>) -> String {
    let shown = names.count <= 8 ? Array(names) : names.prefix(4) + ["…"] + names.suffix(3)
    return shown.joined(separator: " → ")
  }
}
