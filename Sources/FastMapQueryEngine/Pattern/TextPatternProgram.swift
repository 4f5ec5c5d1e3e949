/// The instructions of a pattern.
struct TextPatternProgram: Sendable {
  enum Instruction: Sendable {
    case scalar(UInt32)
    /// A class, by its number.
    case set(Int32)
    /// Goes on at both places.
    case split(Int32, Int32)
    case jump(Int32)
    case end
  }

  private var instructions: [Instruction] = []
  private let sets: [ScalarSet]

  init(_ piece: TextPatternPiece, _ sets: [ScalarSet]) {
    self.sets = sets
    append(piece)
    instructions.append(.end)
  }

  var size: Int { instructions.count }

  private var next: Int32 { Int32(instructions.count) }

  private mutating func append(_ piece: TextPatternPiece) {
    switch piece {
    case .empty: break
    case .scalar(let scalar): instructions.append(.scalar(scalar.value))
    case .set(let set): instructions.append(.set(Int32(set)))
    case .sequence(let pieces): for piece in pieces { append(piece) }
    case .choice(let pieces): append(choice: pieces)
    case .repeated(let piece, let least, let most): append(piece, least, most)
    }
  }

  private mutating func append(choice pieces: [TextPatternPiece]) {
    var jumps: [Int] = []
    for piece in pieces.dropLast() {
      let split = instructions.count
      instructions.append(.end)
      append(piece)
      jumps.append(instructions.count)
      instructions.append(.end)
      instructions[split] = .split(Int32(split) + 1, next)
    }
    if let last = pieces.last { append(last) }
    for jump in jumps { instructions[jump] = .jump(next) }
  }

  private mutating func append(_ piece: TextPatternPiece, _ least: Int, _ most: Int?) {
    var start = next
    for _ in 0..<least {
      start = next
      append(piece)
    }
    guard let most else {
      if least > 0 { return instructions.append(.split(start, next + 1)) }
      instructions.append(.end)
      append(piece)
      instructions.append(.jump(start))
      instructions[Int(start)] = .split(start + 1, next)
      return
    }
    var splits: [Int] = []
    for _ in least..<most {
      splits.append(instructions.count)
      instructions.append(.end)
      append(piece)
    }
    for split in splits { instructions[split] = .split(Int32(split) + 1, next) }
  }
}

extension TextPatternProgram {
  /// Runs all alternatives side by side.
  ///
  /// - Parameters:
  ///   - text: UTF-8, borrowed for the call.
  ///   - isSearch: Whether a part of the text suffices.
  ///   - steps: Counts the instructions that are looked at.
  func run(_ text: UnsafeBufferPointer<UInt8>, isSearch: Bool, _ steps: inout Int) -> Bool {
    let count = instructions.count
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: 4 * count) { memory in
      memory.initialize(repeating: 0)
      return instructions.withUnsafeBufferPointer { instructions in
        sets.withUnsafeBufferPointer { sets in
          var run = Run(
            instructions: instructions, sets: sets, current: Places(memory, from: 0, count),
            following: Places(memory, from: 2 * count, count))
          defer { steps += run.steps }
          return run.finds(text, isSearch: isSearch)
        }
      }
    }
  }

  /// A run of a program.
  private struct Run {
    let instructions: UnsafeBufferPointer<Instruction>
    let sets: UnsafeBufferPointer<ScalarSet>
    /// Where the program is before the next character, and after it.
    var current: Places
    var following: Places
    var steps = 0

    mutating func finds(_ text: UnsafeBufferPointer<UInt8>, isSearch: Bool) -> Bool {
      var offset = 0
      while true {
        if isSearch || offset == 0 { current.add(0) }
        let scalar = TextPatternProgram.scalar(text, &offset)
        let isAtEnd = step(scalar)
        steps += current.count
        if isAtEnd, isSearch || scalar == nil { return true }
        if scalar == nil || following.count == 0 && !isSearch { return false }
        swap(&current, &following)
        following.removeAll()
      }
    }

    /// Follows each place to the places after a character.
    ///
    /// - Returns: Whether the end of the program is among the places.
    private mutating func step(_ scalar: UInt32?) -> Bool {
      var isAtEnd = false
      var number = 0
      while number < current.count {
        let place = current[number]
        number += 1
        switch instructions[Int(place)] {
        case .scalar(let expected): if scalar == expected { following.add(place + 1) }
        case .set(let set): if let scalar, sets[Int(set)].contains(scalar) { following.add(place + 1) }
        case .split(let a, let b):
          current.add(a)
          current.add(b)
        case .jump(let target): current.add(target)
        case .end: isAtEnd = true
        }
      }
      return isAtEnd
    }
  }

  /// Reads a character; nil at the end.
  static func scalar(_ text: UnsafeBufferPointer<UInt8>, _ offset: inout Int) -> UInt32? {
    guard offset < text.count else { return nil }
    let first = text[offset]
    offset += 1
    if first < 0x80 { return UInt32(first) }
    let length = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1
    guard first >= 0xC2, first < 0xF5, offset + length <= text.count else { return 0xFFFD }
    var value = UInt32(first) & (0x3F >> UInt32(length))
    for place in offset..<(offset + length) {
      guard text[place] & 0xC0 == 0x80 else { return 0xFFFD }
      value = value << 6 | UInt32(text[place] & 0x3F)
    }
    offset += length
    return value
  }
}

/// A set of places in a program, in the order of their coming (Briggs and Torczon).
private struct Places {
  private let list: UnsafeMutableBufferPointer<Int32>
  /// Where in the list a place would be.
  private let positions: UnsafeMutableBufferPointer<Int32>
  package private(set) var count = 0

  /// Borrows memory for twice `capacity` numbers.
  init(_ memory: UnsafeMutableBufferPointer<Int32>, from start: Int, _ capacity: Int) {
    list = UnsafeMutableBufferPointer(rebasing: memory[start..<(start + capacity)])
    positions = UnsafeMutableBufferPointer(rebasing: memory[(start + capacity)..<(start + 2 * capacity)])
  }

  subscript(number: Int) -> Int32 { list[number] }

  mutating func add(_ place: Int32) {
    let position = Int(positions[Int(place)])
    if position < count, list[position] == place { return }
    positions[Int(place)] = Int32(count)
    list[count] = place
    count += 1
  }

  mutating func removeAll() { count = 0 }
}
