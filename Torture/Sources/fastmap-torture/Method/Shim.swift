import CProcess
import Foundation

/// A library between this process and its system calls. The loader must load it before all others.
enum Shim {
  struct Missing: Error, CustomStringConvertible {
    let description: String
  }

  /// Restarts this program with the shim, unless it is loaded.
  static func load() throws {
    guard torture_shim_is_loaded() == 0 else { return }
    let executable = try program()
    let library = URL(fileURLWithPath: executable).deletingLastPathComponent().path + "/libTortureShim.so"
    guard access(library, R_OK) == 0, getenv("LD_PRELOAD") == nil else {
      throw Missing(description: "\(library) cannot be loaded; swift build makes it, swift run does not")
    }
    setenv("LD_PRELOAD", library, 1)
    var arguments: [UnsafeMutablePointer<CChar>?] = CommandLine.arguments.map { strdup($0) } + [nil]
    execv(executable, &arguments)
    throw Missing(description: "execv: \(errno)")
  }

  /// The path of this program.
  static func program() throws -> String {
    try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  }

  /// Counts the calls of `body`.
  static func counting(_ mode: Mode = .count, _ body: () throws -> Void) rethrows -> Int {
    var order = torture_shim_order()
    order.mode = mode.rawValue
    torture_shim_arm(&order)
    defer { torture_shim_disarm() }
    try body()
    return Int(torture_shim_disarm())
  }

  enum Mode: Int32 {
    case count, exit, fail, record, failAllocations, noWaiting, recordNames
  }
}
