/// Values of the document beside its root objects: key paths that begin with `@root`.
extension RootSource {
  func readDocument(_ bytes: UnsafeRawBufferPointer, from start: Int) throws {
    guard let shape = outside.documentShape else { return }
    do throws(JSONReader.Failure) {
      outside.read(try reader.attempt(bytes, from: start, isWhole: true, shape: shape))
    } catch {
      throw self.error(error.code, at: error.offset)
    }
  }

  /// The value of a stream that is beside the way to the root objects, if the plan reads it.
  ///
  /// A stream cannot be read twice, so the value must come before the objects.
  ///
  /// - Parameter name: The text of the member's name, with its quotation marks.
  /// - Returns: The path of the value; nil if it is not needed.
  /// - Throws: ``MappingError`` for a value after objects.
  func pathOfWanted(member name: Range<Int>) throws -> [String]? {
    if outside.documentShape == nil || !window.isStream { return nil }
    let steps = form.steps.prefix(position.way.open.count - 1)
    guard let text = try? reader.read(window[name]).node.string else { return nil }
    var path: [String] = []
    for case .member(let step) in steps { path.append(step) }
    path.append(text)
    guard path.count == steps.count + 1, outside.wants(path.map { .member($0) }) else { return nil }
    if position.count > 0 {
      throw MappingError(
        path: JSONPath(path.map { .member($0) }), location: window.shown.location(of: name.lowerBound),
        reason: .refused(
          "expected this member before the objects, which read it by a key path with @root: this input cannot be read twice"
        ))
    }
    return path
  }

  /// Reads a value of the window.
  func read(_ range: Range<Int>) throws(JSONSyntaxError) -> JSONReader.Reading {
    do throws(JSONReader.Failure) {
      return try reader.attempt(window[range], from: 0, isWhole: true)
    } catch {
      throw self.error(error.code, at: range.lowerBound + error.offset)
    }
  }

  /// Refuses the elements of an array of a stream that objects of the same array read.
  func refuseElementsOfRoot() throws {
    guard window.isStream, form.steps.isEmpty, outside.wantsElements else { return }
    throw MappingError(
      path: JSONPath(), location: nil,
      reason: .refused(
        "expected a file, found an input that cannot be read twice: its objects read other elements by a key path with @root"
      ))
  }
}
