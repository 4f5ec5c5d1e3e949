/// One way to do the work of a workload, as an experienced user of the tool would write it.
///
/// To add one, write a type like those beside this file and name it in one of `Suites/`.
protocol Subject {
  /// Prepares one round, outside the measured part.
  ///
  /// - Returns: The work to measure, which returns the number of root objects. Its resources, such as an open store,
  ///   are released after the measured part.
  func prepare() throws -> () throws -> Int
}

/// A subject with a wrong result, so its time is meaningless.
struct WrongOutcome: Error, CustomStringConvertible {
  let description: String

  static func check(_ isRight: Bool, _ expectation: @autoclosure () -> String) throws(WrongOutcome) {
    guard isRight else { throw WrongOutcome(description: "expected \(expectation())") }
  }
}
