/// Pseudo-random numbers that are the same for a seed on every machine and with every version of Swift.
///
/// SplitMix64 by Sebastiano Vigna.
struct SeededNumbers {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// The numbers of one case. Each case can be repeated without the earlier ones.
  init(seed: UInt64, case number: Int) {
    self.init(seed: seed ^ UInt64(truncatingIfNeeded: number) &* 0xD6E8_FEB8_6659_FD93)
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// A number from 0 up to `bound`.
  mutating func next(below bound: Int) -> Int { Int(next() % UInt64(bound)) }

  /// True with a probability of one in `times`.
  mutating func once(in times: Int) -> Bool { next(below: times) == 0 }

  mutating func pick<Element>(_ elements: [Element]) -> Element { elements[next(below: elements.count)] }
}
