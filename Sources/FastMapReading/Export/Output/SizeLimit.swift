/// The size of one root object's text: decides when to pass it on, and when it is too large.
struct SizeLimit {
  /// The start of the object in the output; negative after its start was passed on.
  private var start = 0
  private var pieceSize = Int.max
  private var limit = Int.max
  /// The length of the output that needs attention.
  private var attention = Int.max
  /// The bytes passed on since the object began, including text before it.
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

  /// Whether the output is so long that something must be done.
  @inline(__always)
  func isUsed(by count: Int) -> Bool { count > attention }

  func isExceeded(by count: Int) -> Bool { count - start > limit }

  /// Passes the text on.
  mutating func clear(_ output: inout JSONWriter, to sink: (UnsafeRawBufferPointer) throws -> Void) throws {
    let count = output.count
    handedOut += count
    try output.flush(to: sink)
    start -= count
    look()
  }
}
