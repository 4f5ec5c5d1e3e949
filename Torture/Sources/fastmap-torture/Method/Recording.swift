import CProcess
import Foundation

/// The writes of one commit to its data file, in order.
struct Recording {
  struct Write {
    let offset: Int
    let bytes: [UInt8]
  }

  /// The writes between two barriers. A power failure may keep or lose each of them.
  struct Window {
    var writes: [Write] = []
  }

  /// The last window ends with the last barrier. Later writes are in `unsynced`.
  private(set) var windows: [Window] = []
  private(set) var unsynced = Window()

  /// Reads the shim's log; see shim.h.
  init(_ bytes: [UInt8]) {
    var place = 0
    func integer(_ index: Int) -> Int {
      bytes.withUnsafeBytes { Int($0.loadUnaligned(fromByteOffset: place + index * 8, as: Int64.self)) }
    }
    while place + 24 <= bytes.count {
      let (kind, offset, length) = (integer(0), integer(1), integer(2))
      place += 24
      switch kind {
      case 1: unsynced.writes.append(Write(offset: offset, bytes: Array(bytes[place..<place + length])))
      case 2:
        // This write is on the disk when the call returns; earlier ones are not.
        if !unsynced.writes.isEmpty { hasLooseEnds = true }
        windows.append(Window(writes: [Write(offset: offset, bytes: Array(bytes[place..<place + length]))]))
      case 3:
        windows.append(unsynced)
        unsynced = Window()
      default: break
      }
      place += length
    }
    windows.removeAll { $0.writes.isEmpty }
  }

  /// Whether the header was written before its pages were synced.
  private(set) var hasLooseEnds = false

  var isEmpty: Bool { windows.isEmpty && unsynced.writes.isEmpty }

  /// Runs `body` in a child and records its writes.
  static func make(in scratch: Scratch, _ body: () throws -> Void) throws -> Recording {
    Recording(try bytes(.record, in: scratch, body))
  }

  /// The shim's log of a `body` that runs in a child.
  static func bytes(_ mode: Shim.Mode, in scratch: Scratch, _ body: () throws -> Void) throws -> [UInt8] {
    let path = scratch.path + "/recording"
    let (answer, ending) = Child.run(seconds: 60) {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      var order = torture_shim_order(
        mode: mode.rawValue, times: 0, at: 0, error: 0, shortBy: 0, recordTo: descriptor,
        dropsSyncs: 0)
      torture_shim_arm(&order)
      try body()
      torture_shim_disarm()
      return []
    }
    guard ending == .returned else {
      throw OddStore(description: "while recording: \(ending) \(String(decoding: answer, as: UTF8.self))")
    }
    return try File.bytes(of: path)
  }
}

extension [UInt8] {
  /// Applies a write like a file system: a gap beyond the end is filled with zeros.
  mutating func apply(_ write: Recording.Write) {
    let end = write.offset + write.bytes.count
    if count < end { append(contentsOf: [UInt8](repeating: 0, count: end - count)) }
    replaceSubrange(write.offset..<end, with: write.bytes)
  }

  mutating func apply(_ writes: [Recording.Write]) {
    for write in writes { apply(write) }
  }
}

extension Recording.Window {
  /// The writes, split at the borders of pages or sectors.
  func pieces(of size: Int) -> [Recording.Write] {
    writes.flatMap { write -> [Recording.Write] in
      var pieces: [Recording.Write] = []
      var place = 0
      while place < write.bytes.count {
        let length = min(size - (write.offset + place) % size, write.bytes.count - place)
        pieces.append(.init(offset: write.offset + place, bytes: Array(write.bytes[place..<place + length])))
        place += length
      }
      return pieces
    }
  }
}
