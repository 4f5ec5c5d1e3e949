internal import CFastMap

/// A field of objects whose text is assembled at the end. Such objects have a key path through an array, or an
/// attribute that keeps the whole object. The other fields are added to it.
struct OutputField: Sendable {
  var path: [JSONKeyPath.Step]
  /// Reads JSON at the path; nil for a relationship.
  var attribute: AttributeReader?
  /// The mapping of a relationship's targets.
  var destination: Int
}

/// Reads the JSON of one attribute, as an import does.
struct AttributeReader: Sendable {
  var definition: AttributeDefinition
  var transform: AnyTransform?

  /// Whether the attribute could read a whole object.
  var readsObjects: Bool {
    definition.type == .json || transform != nil || definition.rules.reading != nil
  }

  /// The value of some JSON for the attribute; nil if the attribute cannot read it.
  func value(of json: JSONValue) -> Value? {
    var slot = fastmap_slot()
    var arena = fastmap_arena()
    defer { fastmap_arena_free(&arena) }
    let rules = definition.rules
    guard transform != nil || rules.reading != nil else {
      definition.type.convert(
        json, takesUnsigned: rules.takesUnsigned, isLenient: rules.isLenient, to: &slot, &arena)
      return slot.value
    }
    let isRead = withUnsafeMutablePointer(to: &slot) { slot in
      withUnsafeMutablePointer(to: &arena) { arena in
        var field = FieldWriter(slot, arena)
        guard let transform else { return rules.reading?(json, &field) == nil }
        guard case .written? = try? transform.read(json, &field) else { return false }
        return true
      }
    }
    return isRead ? slot.value : nil
  }
}

/// An object that is written field by field and assembled at its end.
final class ObjectRework {
  /// The position of its text.
  let mark: JSONWriter.Mark
  /// The start of its fields' text in the output.
  let start: Int
  /// Whether the object is an array, also without a value.
  let isRow: Bool
  /// The fields that were written: their numbers, and their texts relative to `start`.
  private(set) var texts: [(field: Int, text: Range<Int>)] = []
  private var open: (field: Int, start: Int)?
  var kept: [KeptObject] = []

  init(mark: JSONWriter.Mark, start: Int, isRow: Bool) {
    self.mark = mark
    self.start = start
    self.isRow = isRow
  }

  func begin(_ field: Int, at count: Int) { open = (field, count - start) }

  func end(at count: Int) {
    if let open { texts.append((open.field, open.start..<count - start)) }
    open = nil
  }
}

/// A JSON object that an attribute has kept as text.
// A buffer of its own, because no closure can return a document.
final class KeptObject {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  let document: JSONDocument

  /// - Throws: For text that is not a JSON object.
  init(_ bytes: some Collection<UInt8>) throws(UnwritableValue) {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
    let (_, end) = buffer.initialize(from: bytes)
    let text = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<end])
    do throws(JSONSyntaxError) {
      document = try JSONDocument(parsing: text, maxDepth: Int(UInt32.max), keepsReals: true)
    } catch {
      buffer.deallocate()
      throw UnwritableValue(reason: "an attribute of the whole object has invalid JSON: \(error)")
    }
    self.buffer = UnsafeMutableBufferPointer(rebasing: buffer[..<end])
  }

  deinit { buffer.deallocate() }

  /// Its text, borrowed as long as it lives.
  var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(buffer) }

  var value: JSONValue { JSONValue(document.root, document.bigIntegers) }

  /// The value at the end of a path; nil if there is none.
  func value(at path: [JSONKeyPath.Step]) -> JSONValue? {
    var node = document.root
    for step in path {
      guard let inner = node[step] else { return nil }
      node = inner
    }
    return JSONValue(node, document.bigIntegers)
  }
}
