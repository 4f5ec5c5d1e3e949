internal import Synchronization

/// Hands out the root objects of all inputs of an import, one input after another.
///
/// A batch has objects of one input. An import that goes back to the beginning of its transaction opens inputs again. It keeps
/// the ones that it can read only once.
///
/// - Note: Thread rule: one thread at a time, except for `interrupt` and `makeBatch`.
package final class RootSources {
  private let inputs: [ImportInput]
  private let plan: Plan
  private let options: ImportOptions
  /// The bytes of the files after each input.
  private var bytesAfter: [Int] = []
  private let first: RootSource
  private var current: RootSource
  /// The sources that the transaction may go back to, and that cannot be opened again at its place.
  private var kept: [Int: RootSource] = [:]
  private var isHeld = false
  private let interruption = Interruption()
  /// The members that no field reads.
  let unread: UnreadCounter

  /// Hands out the root objects of one source.
  package init(_ source: RootSource, plan: Plan, options: ImportOptions) {
    (inputs, self.plan, self.options) = ([], plan, options)
    (first, current, unread) = (source, source, source.unread)
  }

  /// Opens the first input that has the root path.
  ///
  /// - Throws: ``MappingError`` if no input has it; ``JSONSyntaxError``; ``SystemError``.
  package init(_ inputs: [ImportInput], plan: Plan, options: ImportOptions) throws {
    (self.inputs, self.plan, self.options, unread) = (inputs, plan, options, UnreadCounter())
    var after = 0
    for input in inputs.reversed() {
      bytesAfter.append(after)
      after += input.size ?? 0
    }
    bytesAfter.reverse()
    var passed = PassedInputs()
    var empty = options
    empty.format = .ndjson
    first =
      try Self.open(inputs, &passed, plan, options, interruption, unread)
      ?? RootSource(.text(UnsafeRawBufferPointer(start: nil, count: 0)), plan: plan, options: empty)
    current = first
  }

  /// Where the next root object is looked for.
  package var position: RootSource.Position { current.position }
  var isCollection: Bool { inputs.count > 1 || current.isCollection }
  /// Whether all inputs so far were texts without a line.
  var isEmpty: Bool { !position.passed.hasFound && current.isEmpty }

  /// The names of the inputs that lack the root path, in a note.
  func note(at end: RootSource.Position) -> String? {
    let names = end.passed.without.map { escaped(inputs[$0].name) }
    if names.isEmpty { return nil }
    let end = names.count > 1 ? "add nothing, as they have" : "adds nothing, as it has"
    return "\(list(names)) \(end) nothing at the root path"
  }

  /// Makes an empty batch.
  ///
  /// - Throws: ``SystemError``.
  func makeBatch() throws(SystemError) -> ParsedBatch { try first.makeBatch() }

  // MARK: Reading

  /// Replaces the root objects of a batch with the next ones, at most `limit`. There are none at the end.
  func read(_ limit: Int, into batch: ParsedBatch) throws {
    while true {
      var missing: MappingError?
      do {
        try current.read(limit, into: batch)
        if !batch.roots.isEmpty { return }
      } catch {
        let error = Self.named(error, current.file)
        guard !inputs.isEmpty, let lacking = error as? MappingError, lacking.isOfMissingRoot else {
          throw error
        }
        missing = lacking
      }
      guard try goOn(behind: missing) else { return batch.end = position }
    }
  }

  /// Goes on to the next input with root objects.
  ///
  /// - Parameter missing: The error of an input that lacks the root path.
  /// - Returns: False behind the last one.
  private func goOn(behind missing: MappingError?) throws -> Bool {
    guard position.passed.count < inputs.count else { return false }
    var passed = position.passed
    passed.add(current, missing)
    guard let next = try Self.open(inputs, &passed, plan, options, interruption, unread) else {
      // The text before stays current.
      passed.bytes = position.passed.bytes
      current.position.passed = passed
      return false
    }
    current = next
    if !inputs[passed.count].repeats {
      next.hold(next.position, isHeld: isHeld)
      kept[passed.count] = next
    }
    return true
  }

  /// Opens the next input that has the root path; nil behind the last one.
  ///
  /// - Throws: ``MappingError`` if none has it.
  private static func open(
    _ inputs: [ImportInput], _ passed: inout PassedInputs, _ plan: Plan, _ options: ImportOptions,
    _ interruption: Interruption, _ unread: UnreadCounter
  ) throws -> RootSource? {
    while passed.count < inputs.count {
      do {
        return try open(inputs[passed.count], after: passed, plan, options, interruption, unread)
      } catch let error as MappingError where error.isOfMissingRoot {
        passed.miss(error)
        passed.count += 1
      }
    }
    if !passed.hasFound, let missing = passed.missing { throw missing }
    return nil
  }

  private static func open(
    _ input: ImportInput, after passed: PassedInputs, _ plan: Plan, _ options: ImportOptions,
    _ interruption: Interruption, _ unread: UnreadCounter
  ) throws -> RootSource {
    var options = options
    options.format = input.format
    do {
      let (window, owner): (TextWindow, MappedFile?)
      switch try input.open() {
      case .file(let mapped): (window, owner) = (TextWindow(TextPiece(mapped.file.bytes)), mapped)
      case .stream(let read):
        owner = nil
        window = TextWindow(size: 1 << 18) { [options] room, _ in
          try read(room) { interruption.isSet || options.isCancelled }
        }
      }
      return try RootSource(
        window, plan: plan, options: options, file: input.file, owner: owner, after: passed, unread: unread)
    } catch {
      throw named(error, input.file)
    }
  }

  private static func named(_ error: any Error, _ file: String?) -> any Error {
    if var error = error as? MappingError {
      error.file = error.file ?? file
      return error
    }
    guard var error = error as? JSONSyntaxError else { return error }
    error.file = error.file ?? file
    return error
  }

  /// About how many bytes of text follow a batch: see `RootSource.bytesAhead`.
  func bytesAhead(of batch: ParsedBatch, rootLimit: Int?) -> Int {
    let bytes = current.bytesAhead(of: batch, rootLimit: rootLimit)
    let passed = position.passed.count
    return rootLimit == nil && passed < bytesAfter.count ? bytes + bytesAfter[passed] : bytes
  }

  /// Ends all waits of another thread for text, or allows them again.
  func interrupt(_ interrupts: Bool) {
    if inputs.isEmpty { current.window.interrupt(interrupts) }
    interruption.set(interrupts)
  }

  // MARK: Going back

  /// Whether `seek` can go back.
  func goesBack(isHeld: Bool) -> Bool {
    isHeld || (inputs.isEmpty ? !current.window.isStream : inputs.allSatisfy(\.repeats))
  }

  /// Makes sure that `seek` can go back to the end of the last batch later.
  ///
  /// - Parameter isHeld: False if it will not have to.
  func hold(_ position: RootSource.Position, isHeld: Bool) {
    self.isHeld = isHeld
    kept = [:]
    let number = position.passed.count
    if number < inputs.count, inputs[number].repeats, position.count == 0 || !current.window.isStream {
      return
    }
    current.hold(position, isHeld: isHeld)
    kept[number] = current
  }

  func seek(to position: RootSource.Position) throws {
    let number = position.passed.count
    let isThere =
      self.position.passed.count == number
      && (!current.window.isStream || self.position.offset == position.offset)
    if let source = kept[number] {
      current = source
    } else if number < inputs.count, !isThere {
      current = try Self.open(inputs[number], after: position.passed, plan, options, interruption, unread)
    }
    try current.seek(to: position)
  }
}

/// Ends the waits of streams, from any thread.
private final class Interruption: Sendable {
  private let value = Atomic<Bool>(false)
  var isSet: Bool { value.load(ordering: .relaxed) }
  func set(_ isSet: Bool) { value.store(isSet, ordering: .relaxed) }
}

extension MappingError {
  fileprivate var isOfMissingRoot: Bool { if case .missingRoot = reason { true } else { false } }
}
