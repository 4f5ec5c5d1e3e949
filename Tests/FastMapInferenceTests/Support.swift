import FastMapCore
import FastMapInference

extension Inference {
  /// Reads a text, in pieces of a few bytes if asked for.
  mutating func add(text: String, isLines: Bool = false, pieceSize: Int = 1 << 18, file: String? = nil)
    throws
  {
    var rest = Array(text.utf8)[...]
    try add(
      { room in
        let part = rest.prefix(room.count)
        room.copyBytes(from: part)
        rest = rest.dropFirst(part.count)
        return part.count
      }, isLines: isLines, file: file, pieceSize: pieceSize)
  }
}
