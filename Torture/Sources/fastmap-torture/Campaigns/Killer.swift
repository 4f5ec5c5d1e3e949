import Foundation

/// Kills writers at random times, most of them during a commit.
struct Killer {
  let run: Run
  var random: SeededNumbers
  /// The number of writers that acknowledge at the same time.
  let writers: Int
  /// The time in which a writer is killed, in microseconds. It adapts so that a writer commits once or twice, on any
  /// machine.
  private var window = 25_000

  init(_ run: Run, _ random: SeededNumbers, writers: Int) {
    self.run = run
    self.random = random
    self.writers = writers
  }

  /// Starts a writer and kills it.
  ///
  /// - Parameter writer: Writes a byte up to 31 to a descriptor for each commit, and works until it is killed.
  /// - Returns: The bytes; nil if the writer ended by itself, which is a violation.
  mutating func kill(_ number: Int, _ writer: (Int32) throws -> Void) -> [UInt8]? {
    // Some are killed while they open the store.
    let delay = random.once(in: 8) ? random.next(below: 3000) : 1000 + random.next(below: window)
    let child = Child.start { descriptor in
      do { try writer(descriptor) } catch { Self.fail(error, descriptor) }
    }
    usleep(UInt32(delay))
    Foundation.kill(child.process, SIGKILL)
    var answer: [UInt8] = []
    Child.read(child.output) { answer += $0 }
    let ending = Child.wait(for: child.process)
    if ending != .killed(signal: SIGKILL) {
      let words = String(decoding: answer.filter { $0 > 31 }, as: UTF8.self)
      run.violation("kill \(number): the writer ended by itself: \(ending) \(words)")
      return nil
    }
    if answer.isEmpty {
      window = min(200_000, window + window / 20)
    } else if answer.count > 2 * writers {
      window = max(2000, window - window / 20)
    }
    run.add(to: "kills")
    run.add(answer.count, to: "acknowledged commits")
    return answer
  }

  /// Ends the writer and passes on an error's message.
  static func fail(_ error: any Error, _ descriptor: Int32) {
    Child.write(Array("\(error)".utf8), to: descriptor)
    _exit(1)
  }
}
