extension ImportOptions {
  /// A step of an import, for logs, metrics and traces: see ``observer``.
  ///
  ///     options.observer = { event in
  ///       if case .committed(let objects, let time) = event { print(objects, "root objects in", time) }
  ///     }
  public enum Event: Sendable {
    /// The import begins. It has the name of its mapping.
    case began(mapping: String)
    /// A batch is mapped and handed to the store: its root objects, its bytes of the input, and its time.
    case batch(objects: Int, bytes: Int, Duration)
    /// A transaction has ended: its root objects, and the time since it began, failed attempts included.
    case committed(objects: Int, Duration)
    /// The transaction conflicts with another writer's, or leaves out objects whose values are not unique (nil).
    case conflict(ConflictError?)
    /// The transaction runs again. The first retry is number 1.
    case retrying(Int)
    /// The import has ended, with its report or its error.
    case ended(Result<ImportReport, any Error>)
  }
}

extension Importer {
  /// Tells the observer a step that takes time. Without an observer, no clock is read.
  func observed<R>(_ body: () throws -> R, _ event: (R, Duration) -> ImportOptions.Event?) rethrows -> R {
    guard let observer = options.observer else { return try body() }
    let start = ContinuousClock.now
    let result = try body()
    if let event = event(result, start.duration(to: .now)) { observer(event) }
    return result
  }
}
