/// One way to do the work of a workload, written as a good user of the tool would.
///
/// To add one, write a type like those beside this file and name it in one of `Suites/`.
protocol Subject {
  /// Makes ready for one round, outside of the measured part.
  ///
  /// - Returns: The work to measure, which returns the number of root objects it met. What it holds, like an open
  ///   store, is released after the measured part.
  func prepare() throws -> () throws -> Int
}

/// A subject that did not do what it should have done: its time means nothing.
struct WrongOutcome: Error, CustomStringConvertible {
  let description: String

  static func check(_ isRight: Bool, _ expectation: @autoclosure () -> String) throws(WrongOutcome) {
    guard isRight else { throw WrongOutcome(description: "expected \(expectation())") }
  }
}
