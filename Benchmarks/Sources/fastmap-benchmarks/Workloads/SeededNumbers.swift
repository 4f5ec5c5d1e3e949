/// Numbers that look random and are the same for one seed on every machine and with every version of Swift.
///
/// SplitMix64 by Sebastiano Vigna.
struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    return Self.mixed(state)
  }

  /// A number from 0 up to `bound`.
  mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// Whether something happens that is so likely: 0 is never, 1 always.
  mutating func isHit(_ rate: Double) -> Bool { Double(next() >> 11) < rate * Double(1 << 53) }

  mutating func shuffle<Element>(_ elements: inout [Element]) {
    for last in stride(from: elements.count - 1, to: 0, by: -1) {
      elements.swapAt(last, next(below: last + 1))
    }
  }

  private static func mixed(_ state: UInt64) -> UInt64 {
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
