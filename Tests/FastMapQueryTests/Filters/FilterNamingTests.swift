import FastMapCore
import FastMapQueries
import Testing

/// Filters that name their fields are equal to those read from text.
struct FilterNamingTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let filter: Filter
    let text: String
    var testDescription: String { text }

    init(_ text: String, _ condition: (FilterNode) -> some FilterConvertible) {
      (self.text, filter) = (text, Filter(condition))
    }
  }

  @Test(arguments: [
    Case("@.age >= 18") { $0["age"] >= 18 },
    Case("@.author.name == \"Ada\"") { $0["author", "name"] == "Ada" },
    Case("@.author.name == \"Ada\"") { $0["author"]["name"] == "Ada" },
    Case("@['odd name'] != true") { $0["odd name"] != true },
    Case("@.price < -9.5") { $0["price"] < -9.5 },
    Case("@.age == 18 && @.age != 18 && @.age < 18") {
      $0["age"] == 18 && $0["age"] != 18 && $0["age"] < 18
    },
    Case("@.age <= 18 && @.age > 18") { $0["age"] <= 18 && $0["age"] > 18 },
    Case("@.email == null || @.email != null") { $0["email"] == nil || $0["email"] != nil },
    Case("@.author == 5 && @.author != 'b'") {
      $0["author"] == PrimaryKey(5) && $0["author"] != PrimaryKey("b")
    },
    Case("@.a == @.b && @.a != @.b") { $0["a"] == $0["b"] && $0["a"] != $0["b"] },
    Case("@.a < @.b && @.a <= @.b && @.a > @.b && @.a >= @.b") {
      $0["a"] < $0["b"] && $0["a"] <= $0["b"] && $0["a"] > $0["b"] && $0["a"] >= $0["b"]
    },
    Case("@.age >= 18 && @.age < 65") { $0["age"].isIn(18..<65) },
    Case("@.name >= 'a' && @.name <= 'b'") { $0["name"].isIn("a"..."b") },
    Case("match(@.name, 'A.*') && search(@.name, 'b')") {
      $0["name"].matches("A.*") && $0["name"].search("b")
    },
    Case("length(@.name) > 3") { $0["name"].length > 3 },
    Case("@.tags[?@.name == 'swift']") { $0["tags"].contains { $0["name"] == "swift" } },
    Case("!@.tags[?!(@.name == 'swift')]") { $0["tags"].allSatisfy { $0["name"] == "swift" } },
    Case("count(@.tags[?@.name == 'swift']) == 2") { $0["tags"].count { $0["name"] == "swift" } == 2 },
    Case("count(@.tags[*]) > 2 && count(@.tags[*]) == 0") { $0["tags"].count > 2 && $0["tags"].isEmpty },
    Case("@.tags[0].name == 'a' && @.tags[-1].name == 'a'") {
      $0["tags"].first["name"] == "a" && $0["tags"].last["name"] == "a"
    },
    Case("@.codes[?@ == 5]") { $0["codes"].contains { $0 == 5 } },
    Case("@.meta.inner[2].x == 1") { $0["meta", "inner"][2]["x"] == 1 },
    Case("@.large == 18446744073709551615") { $0["large"] == UInt64.max },
  ])
  func aFilterByNameIsEqualToItsText(_ example: Case) throws {
    #expect(try example.filter == Filter(example.text))
  }

  @Test func aPrefixAndAPartOfAStringAreWrittenAsPatterns() {
    let filter = Filter { $0["name"].hasPrefix("A.") && $0["name"].contains(text: "b") }
    #expect(filter.description == "match(@.name, \"A\\\\.(.|\\n|\\r)*\") && search(@.name, \"b\")")
  }

  @Test func aChoiceIsWrittenAsComparisons() {
    #expect(Filter { $0["name"].isIn(["a", "b"]) }.description == "@.name == \"a\" || @.name == \"b\"")
    #expect(
      Filter { $0["author"].isIn([1, "b"] as [PrimaryKey]) }.description
        == "@.author == 1 || @.author == \"b\"")
  }

  @Test func aClosureCannotUseTheObjectOfAnother() {
    let filter = Filter { person in person["books"].contains { $0["title"] == person["name"] } }
    #expect(filter.description == "@.books[?…]")
  }
}
