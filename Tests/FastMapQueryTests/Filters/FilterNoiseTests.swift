import FastMapCore
import TestSupport
import Testing

@testable import FastMapQueryEngine

/// Texts with random damage: each is read or refused, in linear time.
@Suite struct FilterNoiseTests {
  private static let filterScraps = [
    "@", ".", "..", "[", "]", "(", ")", "!", "&&", "||", "==", "<=", ">", "*", "?", ":", ",", "'", "\"", "\\",
    "\\u", "D83D",
    "$", "a", "length(", "match(", "count", "true", "null", "-0", "1.5e3", "99999999999999999999", " ", "\n",
    "é", "😀", "\u{0}",
  ]
  private static let patternScraps = [
    "a", "b", "(", ")", "[", "]", "^", "-", "|", "*", "+", "?", "{", "}", "{2}", "{1,3}", "{9999}", ",", ".",
    "\\", "\\p{",
    "\\P{Lu}", "L", "\\n", "\\d", "$", "é", "😀", "(?:", "a-z", " ", "\n",
  ]

  @Test func aDamagedFilterIsReadOrRefused() throws {
    var random = Random(for: "aDamagedFilterIsReadOrRefused")
    var readCount = 0
    for _ in 0..<3000 {
      let text = Self.damaged(
        RandomFilters.filter(&random, depth: 3).description, Self.filterScraps, &random)
      var parser = FilterParser(text)
      do throws(FilterError) {
        let filter = try parser.filter()
        #expect(try Filter(filter.description) == filter, "\(text)")
        readCount += 1
      } catch {
        #expect(error.faults.count == 1)
        let fault = try #require(error.faults.first)
        let offset = try #require(fault.offset)
        let before = String(decoding: text.utf8.prefix(offset), as: UTF8.self)
        #expect(offset <= text.utf8.count && fault.column == before.unicodeScalars.count + 1, "\(text)")
      }
      #expect(parser.text.steps <= 12 * (text.utf8.count + 2), "\(text)")
    }
    #expect(readCount > 100)
  }

  @Test func aDamagedPatternIsReadOrRefused() throws {
    var random = Random(for: "aDamagedPatternIsReadOrRefused")
    var readCount = 0
    for _ in 0..<3000 {
      let text = Self.damaged("", Self.patternScraps, &random)
      do throws(TextPatternError) {
        let pattern = try TextPattern(text)
        #expect(pattern.size <= TextPattern.largest + 1)
        let string = Self.damaged("aab", ["a", "b", "\n", "é", "😀", "-"], &random)
        #expect(pattern.matches(string) == pattern.runs(on: string, isSearch: false), "\(text)")
        #expect(pattern.isFound(in: string) == pattern.runs(on: string, isSearch: true), "\(text)")
        let mostSteps = pattern.size * (string.unicodeScalars.count + 1)
        #expect(pattern.steps(in: string, isSearch: true) <= mostSteps, "\(text)")
        readCount += 1
      } catch {
        #expect(error.column >= 1 && error.column <= text.unicodeScalars.count + 1, "\(text)")
      }
    }
    #expect(readCount > 100)
  }

  /// Removes, repeats and inserts parts.
  private static func damaged(_ text: String, _ scraps: [String], _ random: inout Random) -> String {
    var scalars = Array(text.unicodeScalars)
    for _ in 0...random.next(8) {
      let place = random.next(scalars.count + 1)
      let end = min(scalars.count, place + random.next(6))
      switch random.next(4) {
      case 0: scalars.removeSubrange(place..<end)
      case 1: scalars.insert(contentsOf: scalars[place..<end], at: place)
      default: scalars.insert(contentsOf: scraps[random.next(scraps.count)].unicodeScalars, at: place)
      }
    }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }
}
