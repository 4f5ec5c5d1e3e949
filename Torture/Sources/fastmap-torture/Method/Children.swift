import CProcess
import Foundation

/// How a child process ended.
enum Termination: Equatable {
  /// It returned, and its answer was read.
  case returned
  case exited(Int32)
  case killed(signal: Int32)
  /// It exceeded its time limit.
  case hung
  /// It crashed: where, as in process.h.
  case fell(Int32)

  /// - Parameter status: The status from `waitpid`.
  init(status: Int32) {
    let signal = status & 0x7F
    let code = (status >> 8) & 0xFF
    switch (signal, code) {
    case (SIGPROF, _), (SIGALRM, _): self = .hung
    case (0, 0): self = .returned
    case (0, Int32(TORTURE_FELL_IN_LMDB)...Int32(TORTURE_FELL_IN_TRAP)): self = .fell(code)
    case (0, _): self = .exited(code)
    default: self = .killed(signal: signal)
    }
  }
}

/// Work in forked children, whose crashes do not affect the parent. The parent has one thread and no open store.
enum Child {
  /// The seconds of processor time that a case may take.
  static let timeLimit: UInt32 = 5

  /// Runs `body` in a child, which has `timeLimit` seconds.
  ///
  /// - Returns: Its answer, complete or not, and how it ended.
  static func run(seconds: UInt32 = timeLimit, _ body: () throws -> [UInt8]) -> (
    answer: [UInt8], ending: Termination
  ) {
    var answer: [UInt8] = []
    let child = start { descriptor in
      torture_limit_time(seconds)
      do { write(try body(), to: descriptor) } catch {
        write(Array("\(type(of: error)): \(error)".utf8), to: descriptor)
        _exit(1)
      }
    }
    read(child.output) { answer += $0 }
    return (answer, wait(for: child.process))
  }

  /// Returns a byte for each case. A child runs many cases; if it crashes, the next one continues after the case.
  ///
  /// - Parameter verdict: The verdict of a case, not 255.
  static func judge(
    _ cases: Range<Int>, _ verdict: (Int) -> UInt8, _ take: (Int, UInt8?, Termination) -> Void
  ) {
    var next = cases.lowerBound
    while next < cases.upperBound {
      let first = next
      let child = start { descriptor in
        for index in first..<min(cases.upperBound, first + 64) {
          torture_limit_time(timeLimit)
          write([verdict(index)], to: descriptor)
        }
      }
      read(child.output) { bytes in
        for byte in bytes {
          take(next, byte, .returned)
          next += 1
        }
      }
      let ending = wait(for: child.process)
      if ending != .returned {
        take(next, nil, ending)
        next += 1
      }
    }
  }

  // MARK: Processes

  static func start(_ body: (Int32) -> Void) -> (process: pid_t, output: Int32) {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0, "no pipe")
    let process = torture_fork()
    precondition(process >= 0, "no child")
    if process == 0 {
      close(ends[0])
      torture_watch_faults()
      dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)  // LMDB prints before it aborts
      body(ends[1])
      _exit(0)
    }
    close(ends[1])
    return (process, ends[0])
  }

  static func wait(for process: pid_t) -> Termination {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return Termination(status: status)
  }

  /// Reads until the other end is closed.
  static func read(_ descriptor: Int32, _ take: ([UInt8]) -> Void) {
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Foundation.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return }
      take(Array(buffer[..<count]))
    }
  }

  static func write(_ bytes: [UInt8], to descriptor: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { return }
      rest = rest.dropFirst(count)
    }
  }
}
