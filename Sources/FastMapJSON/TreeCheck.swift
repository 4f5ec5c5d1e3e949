package import CFastMap

/// Checks a caller's tree, because jansson can build trees that no JSON text describes.
extension JSONNode {
  /// The maximum number of steps of a path in a message.
  private static let longestPath = 32

  /// Checks every value of a tree once. Trees that FastMap parsed need no check.
  ///
  /// - Parameter maxDepth: The maximum nesting of arrays and objects.
  /// - Throws: ``MappingError`` with the path of the fault; ``SystemError``.
  /// - Complexity: O(*n*) in the values in memory. Nesting uses the heap, not the stack.
  package func checkTree(maxDepth: Int) throws {
    if fastmap_tree_arena_holds(pointer), maxDepth >= FASTMAP_READ_DEFAULT_DEPTH { return }
    var verdict = fastmap_tree_verdict()
    defer { fastmap_tree_verdict_end(&verdict) }
    guard !fastmap_tree_check(pointer, max(1, maxDepth), &verdict) else { return }
    if verdict.fault == FASTMAP_TREE_MEMORY { throw SystemError.outOfMemory }
    throw MappingError(
      path: JSONPath(Self.steps(of: verdict)), location: nil, reason: Self.reason(of: verdict, maxDepth))
  }

  private static func steps(of verdict: fastmap_tree_verdict) -> [JSONPath.Step] {
    UnsafeBufferPointer(start: verdict.steps, count: verdict.step_count).prefix(longestPath)
      .map(JSONPath.Step.init)
  }

  private static func reason(of verdict: fastmap_tree_verdict, _ maxDepth: Int) -> MappingError.Reason {
    let byte = "the byte 0x\(String(verdict.byte, radix: 16, uppercase: true)) at offset \(verdict.offset)"
    switch verdict.fault {
    case FASTMAP_TREE_TOO_DEEP:
      return .unexpected(
        expected: "at most \(maxDepth) levels of arrays and objects", found: "more")
    case FASTMAP_TREE_CYCLE:
      return .unexpected(expected: "a tree", found: "an array or an object that contains itself")
    case FASTMAP_TREE_TOO_LARGE:
      return .unexpected(
        expected: "a tree of at most \(verdict.max_size) bytes, shared values counted each time",
        found: "\(verdict.size)")
    case FASTMAP_TREE_UTF8:
      return .unexpected(expected: "a string in UTF-8", found: byte)
    case FASTMAP_TREE_NAME_UTF8:
      return .unexpected(expected: "names of members in UTF-8", found: byte)
    default:
      return .unexpected(expected: "a finite number", found: "infinity or NaN")
    }
  }
}

extension JSONPath.Step {
  package init(_ step: fastmap_tree_step) {
    guard let name = step.name else {
      self = .index(step.index)
      return
    }
    self = .member(String(decoding: UnsafeRawBufferPointer(start: name, count: step.length), as: UTF8.self))
  }
}
