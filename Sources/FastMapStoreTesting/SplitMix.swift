/// Random numbers that a seed repeats, by Sebastiano Vigna.
package struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  package init(state: UInt64) {
    self.state = state
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to `bound`.
  package mutating func next(_ bound: Int) -> Int { Int(next() >> 1) % bound }

  /// At most `count` numbers from 0 up to `bound`.
  mutating func some(_ count: Int, below bound: Int) -> [Int] {
    (0..<next(count + 1)).map { _ in next(bound) }
  }
}
