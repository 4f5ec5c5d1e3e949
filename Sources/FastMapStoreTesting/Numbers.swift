/// Numbers at random that are the same each time.
struct Numbers {
  var state: UInt64

  mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }

  mutating func some(_ count: Int, below bound: Int) -> [Int] {
    (0..<next(count + 1)).map { _ in next(bound) }
  }
}
