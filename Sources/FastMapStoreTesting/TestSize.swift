import FastMapSystem

/// How much a test that repeats does: `FASTMAP_SIZE`, which is `small`, `whole` or a number of times whole. Small by default.
///
/// A test has the same code and the same seeds in every size. `make test` runs all tests small. `make check` runs tests
/// with a size whole, and `make torture` runs them ten times whole.
package enum TestSize: Sendable {
  case small
  case whole(times: Int)

  package static let current: TestSize = {
    switch getenv("FASTMAP_SIZE").map({ String(cString: $0) }) {
    case nil, "small": return .small
    case "whole": return .whole(times: 1)
    case let name?:
      guard let times = Int(name), times > 0 else {
        preconditionFailure("FASTMAP_SIZE is small, whole or a number of times whole, not \(name)")
      }
      return .whole(times: times)
    }
  }()

  /// The rounds of a random test.
  package static func rounds(small: Int, whole: Int) -> Int {
    switch current {
    case .small: small
    case .whole(let times): whole * times
    }
  }

  /// The size of an input, such as the length of a chain.
  ///
  /// - Parameter long: The size several times whole; by default as whole.
  package static func count(small: Int, whole: Int, long: Int? = nil) -> Int {
    switch current {
    case .small: small
    case .whole(let times): times > 1 ? long ?? whole : whole
    }
  }

  /// The cases of a table: all of them, or fewer that are spread over the table. Several times whole, it is all of them.
  package static func cases<Case>(_ all: [Case], small: Int, whole: Int = .max) -> [Case] {
    let count = min(all.count, count(small: small, whole: whole, long: .max))
    return (0..<count).map { all[$0 * all.count / count] }
  }
}
