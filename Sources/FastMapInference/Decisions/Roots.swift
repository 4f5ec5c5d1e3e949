import FastMapCore

/// A collection of objects that an import can begin with.
struct RootCollection {
  let place: Place
  /// The members that lead to it, from the root of the document.
  var path: [String] = []
  /// The root path that a person gave.
  var given: JSONKeyPath?
  /// As a mapping has it; nil for the root of the document.
  var rootPath: String? {
    given?.description ?? (path.isEmpty ? nil : JSONKeyPath(components: path).description)
  }
  var isKeyed: Bool { place.role == .keyed }
}

/// The collections of a payload, and all that stands outside of them.
struct Roots {
  private(set) var collections: [RootCollection] = []
  /// The objects around the collections, without these; nil if nothing else is there.
  private(set) var document: Place?
  /// The root elements that are arrays, as objects; their members are the places.
  private(set) var rows: Place?
  /// Whether the root elements have no common form, so that each is one value.
  private(set) var values: Shape?
  private(set) var notes: [String] = []

  /// The name of the root, if its path has none, or a person gave it.
  let name: String
  let isNamed: Bool

  /// - Parameters:
  ///   - documents: All documents of JSON, as the elements of a list.
  ///   - lines: All lines of NDJSON.
  ///   - name: The name of the root, if its path has none.
  ///   - isNamed: Whether a person gave the name.
  init(documents: Shape, lines: Shape, name: String, isNamed: Bool) throws(InferenceError) {
    (self.name, self.isNamed) = (name, isNamed)
    if documents.items == nil, let items = lines.items {
      try readElements(items)
      return
    }
    let elements = Shape()
    if let items = lines.items { elements.absorb(items) }
    if let items = documents.items {
      if items.counts.objects > 0, items.counts.lists == 0, elements.counts.all == 0,
        items.counts.scalars == 0
      {
        try readDocuments(items)
        return
      }
      if items.counts.lists > 0 {
        if let below = items.items { elements.absorb(below) }
        elements.absorb(items.allScalars)
      }
      if items.counts.objects > 0 || items.counts.scalars > 0 {
        guard items.counts.lists == 0 else {
          throw InferenceError("some documents are arrays and others are not; infer them apart")
        }
        elements.absorb(items)
      }
    }
    try readElements(elements)
  }

  /// The objects at a root path that a person gave, of all documents and lines.
  init(_ shapes: [Shape], at path: JSONKeyPath, name: String, isNamed: Bool) throws(InferenceError) {
    (self.name, self.isNamed) = (name, isNamed)
    let value = Shape()
    for shape in shapes {
      if let found = shape.items?.value(at: path.steps[...]) { value.absorb(found) }
    }
    let form = value.form()
    if value.counts.lists > 0, value.counts.objects == 0, let items = value.items {
      try readElements(items)
    } else if form == .keyed || form == .keyedScalars,
      let place = Place(value, form, path: "$", name: name, owner: nil)
    {
      collections = [RootCollection(place: place)]
    } else {
      let elements = Shape()
      if let items = value.items { elements.absorb(items) }
      if value.counts.objects > 0 { elements.absorb(value) }
      guard elements.counts.objects > 0 else {
        throw InferenceError("no objects at the root path \(quoted(path.description))")
      }
      collections = [RootCollection(place: Place(elements, name: name, path: "$[]", role: .root))]
    }
    if collections.isEmpty { throw InferenceError("no objects at the root path \(quoted(path.description))") }
    collections[0].given = path
  }

  // MARK: Lists

  private mutating func readElements(_ elements: Shape) throws(InferenceError) {
    let counts = elements.counts
    guard counts.all > 0 else { throw InferenceError("the payload has no values") }
    if counts.objects == counts.all, !elements.isCut, KeyedForm.of(elements) == .object {
      collections = [RootCollection(place: Place(elements, name: name, path: "$[]", role: .root))]
      notes.append("$: \(spaced(counts.objects)) object\(counts.objects == 1 ? "" : "s")")
    } else if counts.lists == counts.all {
      try readRows(elements)
    } else if counts.lists == 0 {
      values = elements
      notes.append("$: the elements have no common form; each is one value")
    } else {
      throw InferenceError("some root elements are arrays and others are not; no mapping reads both")
    }
  }

  private mutating func readRows(_ elements: Shape) throws(InferenceError) {
    guard elements.longestList > 0, elements.longestList <= Shape.mostPositions, elements.scalars == nil
    else {
      throw InferenceError(
        "the root elements are arrays of up to \(elements.longestList) values; a row has at most \(Shape.mostPositions)"
      )
    }
    let row = Shape()
    row.counts.objects = elements.counts.lists
    for place in 0..<elements.longestList {
      var cursor = row.members.count
      let label = Array("column\(place + 1)".utf8)
      let member = label.withUnsafeBufferPointer {
        row.member($0, KeyNames.hash(of: "column\(place + 1)"), from: &cursor)
      }
      if place < elements.places.count { member.absorb(elements.places[place]) }
      if elements.containerPlaces & 1 << place != 0 { member.isCut = true }
      member.presence = member.counts.all + member.counts.nulls
      member.positions = place * member.presence
    }
    let rows = Place(row, name: name, path: "$[]", role: .root)
    self.rows = rows
    collections = [RootCollection(place: rows)]
    notes.append(
      "$: \(spaced(elements.counts.lists)) arrays of \(elements.shortestList) to \(elements.longestList) values; each is a row"
    )
  }

  // MARK: Documents

  private mutating func readDocuments(_ shape: Shape) throws(InferenceError) {
    let form = shape.form()
    if form == .keyed || form == .keyedScalars,
      let place = Place(shape, form, path: "$", name: name, owner: nil)
    {
      collections = [RootCollection(place: place)]
      notes.append(
        "$: the members of the root are \(spaced(place.shape.counts.all)) values by their keys")
      return
    }
    guard form == .object else {
      values = shape
      notes.append("$: the root object has no form; it is one value")
      return
    }
    let found = Self.collections(in: shape, [])
    if isEnvelope(shape, found) {
      readCollections(found, of: shape)
    } else {
      collections = [RootCollection(place: Place(shape, name: name, path: "$", role: .root))]
      notes.append("$: the root object itself is an object")
    }
  }

  private struct Found {
    let value: Shape
    let form: Form
    let path: [String]
  }

  /// The most members that lead to a collection.
  private static let mostSteps = 4

  private static func collections(in shape: Shape, _ path: [String]) -> [Found] {
    var found: [Found] = []
    for member in shape.members {
      let form = member.form()
      let here = path + [member.label]
      switch form {
      case .list, .keyed: found.append(Found(value: member, form: form, path: here))
      case .object where here.count < mostSteps: found += collections(in: member, here)
      default: break
      }
    }
    return found
  }

  /// Scalar members that stand around a collection, and say nothing of an object.
  private static let envelopeWords = words(
    """
    count total page pages next previous prev limit offset status ok success message error type took
    hasmore cursor perpage pagesize totalcount totalpages incompleteresults timestamp copyright generated
    generatedat kind etag object url schema result version nextpage nextcursor nextpagetoken size start end
    code statuscode jsonrpc date updated license totalresults errors href expand startat maxresults resourcetype
    description source warning cachets first last self nextlink prevlink numfound needed provided
    """)

  private func isEnvelope(_ shape: Shape, _ found: [Found]) -> Bool {
    guard !found.isEmpty else { return false }
    let isAnswer = shape.members.contains { $0.label == "jsonrpc" }
    for member in shape.members where member.counts.scalars > 0 && !(isAnswer && member.label == "id") {
      guard Self.envelopeWords.contains(Words(member.label).all.joined()) else { return false }
    }
    let inside = found.reduce(0) { $0 + $1.value.weight }
    guard inside * 2 >= shape.weight else { return false }
    let counts = found.map { ($0.value.items ?? $0.value.collected)?.counts.all ?? 0 }
    return counts.contains { $0 > 1 } || counts == [1]
  }

  private mutating func readCollections(_ found: [Found], of shape: Shape) {
    let heaviestFirst = found.sorted {
      ($1.value.weight, $0.path.joined(separator: ".")) < ($0.value.weight, $1.path.joined(separator: "."))
    }
    let rest = Shape()
    rest.absorb(shape)
    for collection in heaviestFirst {
      let path = "$." + JSONKeyPath(components: collection.path).description
      let name = isNamed && collections.isEmpty ? name : collection.value.label
      guard let place = makePlace(collection, path, name) else { continue }
      collections.append(RootCollection(place: place, path: collection.path))
      rest.remove(collection.path[...])
      let count = place.shape.counts.all
      notes.append("\(path): \(spaced(count)) object\(count == 1 ? "" : "s"), a root path")
    }
    guard rest.weight > 0 else { return }
    let names = rest.members.filter { $0.weight > 0 }.map(\.label).sorted()
    document = Place(rest, name: "Document", path: "$", role: .root)
    notes.append(
      "$: \(list(names, most: 6)) outside of the root path\(collections.count == 1 ? "" : "s"); the mapping \"Document\" reads the rest; import it with --replace-all"
    )
  }

  private func makePlace(_ found: Found, _ path: String, _ name: String) -> Place? {
    guard found.form == .list else {
      return Place(found.value, found.form, path: path, name: name, owner: nil)
    }
    guard let items = found.value.items, KeyedForm.of(items) == .object else { return nil }
    return Place(items, name: name, path: path + "[]", role: .root)
  }
}

/// A payload that inference cannot make a mapping for.
package struct InferenceError: Error, CustomStringConvertible {
  package let description: String
  init(_ description: String) { self.description = description }
}

extension Shape {
  /// All values at a path; nil if there is none.
  func value(at path: ArraySlice<JSONKeyPath.Step>) -> Shape? {
    guard let step = path.first else { return self }
    let next = if case .member(let name) = step { member(hash: KeyNames.hash(of: name)) } else { items }
    return next?.value(at: path.dropFirst())
  }

  /// The number of scalars at and below the place.
  var weight: Int {
    counts.scalars + members.reduce(0) { $0 + $1.weight } + (collected?.weight ?? 0) + (items?.weight ?? 0)
      + (scalars?.weight ?? 0) + places.reduce(0) { $0 + $1.weight }
  }

  /// Removes a member, and objects around it that are left without members.
  func remove(_ path: ArraySlice<String>) {
    guard let first = path.first, let member = members.first(where: { $0.label == first }) else { return }
    member.remove(path.dropFirst())
    if path.count == 1 || member.members.isEmpty { removeMember(member) }
  }
}
