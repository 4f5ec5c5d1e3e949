@testable import FastMapQueryEngine

extension TextPattern {
  /// The instructions of the program.
  var size: Int { program.size }

  func matches(_ string: String) -> Bool { string.withBytes { matches($0) } }

  func isFound(in string: String) -> Bool { string.withBytes { isFound(in: $0) } }

  /// The instructions that a run looks at.
  func steps(in string: String, isSearch: Bool) -> Int { run(string, isSearch).steps }

  /// The answer without the shortcut of literals.
  func runs(on string: String, isSearch: Bool) -> Bool { run(string, isSearch).isMatch }

  private func run(_ string: String, _ isSearch: Bool) -> (isMatch: Bool, steps: Int) {
    var steps = 0
    let isMatch = string.withBytes { program.run($0, isSearch: isSearch, &steps) }
    return (isMatch, steps)
  }
}

extension String {
  fileprivate func withBytes<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    var string = self
    return string.withUTF8(body)
  }
}
