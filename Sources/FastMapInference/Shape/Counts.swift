/// How many values of each kind a place has.
struct Counts: Equatable {
  var nulls = 0
  var booleans = 0
  var integers = 0
  /// Integers beyond 64 bits.
  var bigIntegers = 0
  var reals = 0
  /// Numbers whose digits a double does not keep.
  var inexact = 0
  /// Numbers whose digits a decimal does not keep either.
  var tooLong = 0
  var strings = 0
  var objects = 0
  var lists = 0

  var numbers: Int { integers + bigIntegers + reals }
  var scalars: Int { booleans + numbers + strings }
  /// All but null.
  var all: Int { scalars + objects + lists }

  static func += (a: inout Counts, b: Counts) {
    a.nulls += b.nulls
    a.booleans += b.booleans
    a.integers += b.integers
    a.bigIntegers += b.bigIntegers
    a.reals += b.reals
    a.inexact += b.inexact
    a.tooLong += b.tooLong
    a.strings += b.strings
    a.objects += b.objects
    a.lists += b.lists
  }
}
