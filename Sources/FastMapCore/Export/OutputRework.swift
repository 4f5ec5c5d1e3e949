internal import CFastMap

/// A field of objects whose text is put together once all of it is there: because a key path leads through an array, or
/// because an attribute keeps the whole object, into which the others are laid.
struct OutputField: Sendable {
  var path: [JSONKeyPath.Step]
  /// How JSON at the path is read; nil for a relationship.
  var attribute: AttributeReader?
  /// The mapping of a relationship's targets.
  var destination: Int
}

/// Reads the JSON of one attribute, as an import does.
struct AttributeReader: Sendable {
  var definition: AttributeDefinition
  var transform: AnyTransform?

  /// Whether it could read a whole object.
  var readsObjects: Bool {
    definition.type == .json || transform != nil || definition.rules.reading != nil
  }

  /// The value that JSON has for it; nil for what it does not read.
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

/// An object that is being written field by field, to be put together at its end.
final class ObjectRework {
  /// Where its text goes.
  let mark: JSONWriter.Mark
  /// Where the text of its fields begins in the output.
  let start: Int
  /// The fields that were written: their numbers, and their texts behind `start`.
  private(set) var texts: [(field: Int, text: Range<Int>)] = []
  private var open: (field: Int, start: Int)?
  /// The JSON objects that attributes have kept of it.
  var kept: [KeptObject] = []

  init(mark: JSONWriter.Mark, start: Int) {
    self.mark = mark
    self.start = start
  }

  func begin(_ field: Int, at count: Int) { open = (field, count - start) }

  func end(at count: Int) {
    if let open { texts.append((open.field, open.start..<count - start)) }
    open = nil
  }
}

/// A JSON object that an attribute has kept as text.
// A buffer of its own, as no closure can return a document.
final class KeptObject {
  private let buffer: UnsafeMutableBufferPointer<UInt8>
  let document: JSONDocument

  /// - Throws: For text that is no JSON object.
  init(_ bytes: some Collection<UInt8>) throws(UnwritableValue) {
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, bytes.count))
    let (_, end) = buffer.initialize(from: bytes)
    let text = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<end])
    do throws(JSONSyntaxError) {
      document = try JSONDocument(parsing: text, maxDepth: Int(UInt32.max), rejectsDuplicates: false)
    } catch {
      buffer.deallocate()
      throw UnwritableValue(reason: "an attribute of the whole object has JSON text that is none: \(error)")
    }
    self.buffer = UnsafeMutableBufferPointer(rebasing: buffer[..<end])
  }

  deinit { buffer.deallocate() }

  /// Its text, borrowed as long as it lives.
  var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(buffer) }

  var value: JSONValue { JSONValue(document.root, document.bigIntegers) }

  /// What stands at the end of a path; nil where nothing does.
  func value(at path: [JSONKeyPath.Step]) -> JSONValue? {
    var node = document.root
    for step in path {
      guard let inner = node[step] else { return nil }
      node = inner
    }
    return JSONValue(node, document.bigIntegers)
  }
}
