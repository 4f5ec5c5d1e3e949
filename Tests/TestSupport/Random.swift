import FastMapSystem

/// Numbers at random that a seed repeats. (SplitMix64 by Sebastiano Vigna.)
package struct Random: RandomNumberGenerator {
  private var state: UInt64

  /// The same numbers in every run.
  package init(seed: UInt64) { state = seed }

  /// Other numbers in every run. It prints its seed, and `FASTMAP_SEED` sets it, to run a test again as it was.
  package init(for test: String) {
    let given = getenv("FASTMAP_SEED").flatMap { UInt64(String(cString: $0)) }
    state = given ?? UInt64.random(in: 0...UInt64.max)
    print("\(test): FASTMAP_SEED=\(state)")
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func next(_ upperBound: Int) -> Int { Int(next() >> 1) % upperBound }

  /// A number from 0 to 1.
  package mutating func nextUnit() -> Double { Double(next(1 << 30)) / Double(1 << 30) }
}
