/// How much text one root object has made: when to hand it out, and when it is too much.
struct OutputRoom {
  /// Where the object began in the output; below 0 once its beginning was handed out.
  private var start = 0
  private var pieceSize = Int.max
  private var limit = Int.max
  /// The length of the output from which on there is something to do.
  private var attention = Int.max
  /// How many bytes were handed out since the object began, with what stood before it.
  private(set) var handedOut = 0

  init() {}

  init(start: Int, pieceSize: Int, limit: Int) {
    (self.start, self.pieceSize, self.limit) = (start, pieceSize, max(0, limit))
    look()
  }

  private mutating func look() {
    let (end, isBeyond) = start.addingReportingOverflow(limit)
    attention = min(pieceSize, isBeyond ? .max : end)
  }

  /// Whether an output has so much text that something is to be done.
  @inline(__always)
  func isUsed(by count: Int) -> Bool { count > attention }

  /// Whether the object has more text than it may have.
  func isExceeded(by count: Int) -> Bool { count - start > limit }

  /// Hands the text out.
  mutating func clear(_ output: inout JSONWriter, to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
    let count = output.count
    handedOut += count
    try output.flush(to: sink)
    start -= count
    look()
  }
}
