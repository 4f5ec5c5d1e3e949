import FastMapCore
import FastMapStoreTesting

/// Filters at random that fit the model's mappings.
package struct RandomFilter<Generator: RandomNumberGenerator> {
  package var random: Generator

  package init(random: Generator) { self.random = random }

  package mutating func text(about entity: String = "Person", depth: Int = 3) -> String {
    switch random.below(depth > 0 ? 6 : 3) {
    case 3: return "(\(text(about: entity, depth: depth - 1)) && \(text(about: entity, depth: depth - 1)))"
    case 4: return "(\(text(about: entity, depth: depth - 1)) || \(text(about: entity, depth: depth - 1)))"
    case 5: return "!(\(text(about: entity, depth: depth - 1)))"
    default: return term(about: entity, depth)
    }
  }

  private mutating func pick<T>(_ values: [T]) -> T { values[random.below(values.count)] }

  private mutating func comparison() -> String { pick(["==", "!=", "<", "<=", ">", ">="]) }

  private mutating func number() -> String {
    pick(["-3", "0", "1", "2", "18", "40", "1.5", "-0.5", "2.0", "18.5", "1e1", "null"])
  }

  private mutating func name() -> String { "\"\(pick(Model.names))\"" }

  private mutating func term(about entity: String, _ depth: Int) -> String {
    switch entity {
    case "Team": return team("@")
    case "Tag":
      switch random.below(6) {
      case 4: return "count(@.owners[*]) \(comparison()) \(number2())"
      case 5:
        return pick([
          "@.owners[?@.age > 1]", "@.owner.boss", "@.owner.name == @.owners[-1].name", "@.owner == 1",
          "@.owner == @.owners[0]", "!@.owner",
        ])
      case 0: return "@.id \(comparison()) \(number2())"
      case 1: return "@.name \(comparison()) \(name())"
      case 2: return team("@.team")
      default: return pick(["@.team", "!@.name", "@ == 1", "@.team == \"red\"", "@.team != null"])
      }
    default: return person(depth)
    }
  }

  private mutating func number2() -> String { pick(["0", "1", "2", "3", "null"]) }

  private mutating func team(_ path: String) -> String {
    switch random.below(5) {
    case 3: "count(\(path).members[*]) \(comparison()) \(number2())"
    case 4: "\(path).label.name \(comparison()) \(name())"
    case 0: "\(path).code \(comparison()) \(pick(["\"\"", "\"red\"", "\"b\"", "null"]))"
    case 1: "\(path).size \(comparison()) \(number())"
    default: "\(path).title \(comparison()) \(name())"
    }
  }

  private mutating func person(_ depth: Int) -> String {
    let to = pick([
      "@", "@", "@", "@", "@.boss", "@.boss.boss", "@.friends[0]", "@.friends[-1].boss", "@.assistant",
      "@.assistant.assistant", "@.staff[0]", "@.boss.assistant", "@.followers[-1].assistant",
    ])
    switch random.below(29) {
    case 26: return "lower(\(to).name) \(comparison()) \(pick([name(), "@.name", "lower(@.boss.name)"]))"
    case 27:
      return
        "\(pick(["match", "search"]))(lower(\(to).name), \(pick(["\"a\"", "\"ab.*\"", "\"b\"", "\"\""])))"
    case 28: return "lower(\(pick(["\(to).extra.a", "\(to).team.title"]))) \(comparison()) \(name())"
    case 0: return "\(to).id \(comparison()) \(number2())"
    case 1: return "\(to).name \(comparison()) \(name())"
    case 2: return "\(to).age \(comparison()) \(number())"
    case 3: return "\(number()) \(comparison()) \(to).height"
    case 4: return "\(to).age \(comparison()) @.height"
    case 5: return "\(to).active \(pick(["==", "!=", "<=", ">="])) \(pick(["true", "false", "null"]))"
    case 6: return "\(to).born \(comparison()) \"\(pick(Model.dates))\""
    case 7: return "\(to).photo \(comparison()) \"\(pick(Model.data))\""
    case 8:
      return
        "\(to).\(pick(["id", "name", "age", "active", "born", "photo", "extra", "boss", "team", "tags", "staff", "assistant", "followers"]))"
    case 9: return team("\(to).team")
    case 10: return "\(to).name \(comparison()) @.team.title"
    case 11:
      return
        "\(pick(["@.boss", "@.assistant"])) \(pick(["==", "!="])) \(pick(["@", "null", "1", "@.friends[0]", "@.boss.boss", "@.id", "@.boss.assistant"]))"
    case 12: return "\(to) \(comparison()) \(number2())"
    case 13: return "@.team \(comparison()) \(pick(["\"red\"", "\"\"", "null", "@.name"]))"
    case 14: return "count(\(list(depth))) \(comparison()) \(number2())"
    case 15: return list(depth)
    case 16: return "value(\(list(depth))) == \(pick(["1", "null", "0"]))"
    case 17: return "value(\(list(depth)).name) \(comparison()) \(pick([name(), "@.name"]))"
    case 18:
      return
        "length(\(pick(["\(to).name", "@.tags", "@.friends", "@.staff", "@.extra", "@.extra.list", "@.team.title"]))) \(comparison()) \(number2())"
    case 19: return "\(pick(["match", "search"]))(\(to).name, \(pick(["\"a\"", "\"a.*\"", "\"b\"", "\"\""])))"
    case 20:
      return
        "count(\(list(depth)).\(pick(["name", "team", "team.title"]).split(separator: ".").joined(separator: "."))) > 1"
    case 21, 22: return equalities()
    default: return json(to, depth)
    }
  }

  /// Comparisons that an index may serve, and pairs of bounds.
  mutating func bound() -> String {
    let (field, values) = pick([
      ("id", ["-3", "-1", "0", "1", "3", "5"]), ("name", Model.names.map { "\"\($0)\"" }),
      ("age", ["-3", "0", "1", "2", "18", "1.5"]), ("height", ["-0.5", "0", "-0", "1.5", "2", "18"]),
      ("born", Model.dates.map { "\"\($0)\"" }), ("photo", Model.data.map { "\"\($0)\"" }),
    ])
    let value = pick(values)
    switch random.below(5) {
    case 0: return "@.\(field) <= \(value) && @.\(field) < \(value)"
    case 1: return "@.\(field) > \(value) && @.\(field) >= \(value)"
    case 2: return "@.\(field) >= \(value) && @.\(field) < \(pick(values))"
    case 3: return equalities()
    default: return "@.\(field) \(pick(["==", "<", "<=", ">", ">="])) \(value)"
    }
  }

  /// One field that equals one of several values.
  private mutating func equalities() -> String {
    let (field, values) = pick([
      ("name", Model.names.map { "\"\($0)\"" }), ("age", ["-3", "0", "1", "2", "18", "2.0", "18.5"]),
      ("height", ["-0.5", "0", "-0", "1.5", "2", "18"]), ("active", ["true", "false"]),
      ("born", Model.dates.map { "\"\($0)\"" }), ("photo", Model.data.map { "\"\($0)\"" }),
      ("team", ["\"red\"", "\"blue\"", "\"b\""]), ("boss", ["0", "1", "2", "99"]),
      ("boss.id", ["0", "1", "2"]),
    ])
    let terms = (0..<2 + random.below(3)).map { _ in "@.\(field) == \(pick(values + ["null"]))" }
    return "(\(terms.joined(separator: " || ")))"
  }

  /// A path to several targets that have a name.
  private mutating func list(_ depth: Int) -> String {
    let inner = depth > 0 ? random.below(3) : 0
    let field = pick(["tags", "tags", "friends", "staff", "followers"])
    let entity = field == "tags" ? "Tag" : "Person"
    let selector =
      inner > 0
      ? "[?\(text(about: entity, depth: depth - 1))]"
      : pick([
        "[*]", "[0]", "[-1]", "[1:]", "[::2]", "[::-1]", "[:2]", "[0,1]", "[*,-1]", "[-2:]", "[2:0:-1]",
      ])
    return
      "@.\(pick(["", "", "boss.", "friends[*].", "assistant.", "staff[*].", "team.members[*]."]))\(field)\(selector)"
  }

  private mutating func json(_ to: String, _ depth: Int) -> String {
    let value = pick(["1", "0", "null", "true", "\"a\"", "1.5", "\"\""])
    let inner = pick(["a", "b", "list", "list[0]", "list[-1]", "list[1]", "a.b", "list[0].a", "a[0]"])
    switch random.below(8) {
    case 0: return "\(to).extra \(pick(["==", "!="])) \(value)"
    case 1, 2: return "\(to).extra.\(inner) \(comparison()) \(value)"
    case 3: return "\(to).extra.\(inner) \(comparison()) \(to).extra.\(pick(["a", "b", "list"]))"
    case 4: return "\(to).extra.\(inner)"
    case 5:
      return
        "count(\(to).extra\(pick(["[*]", ".list[*]", "[*][*]", ".list[0,1]", "[?@.a]", "[?@ > 1]"]))) \(comparison()) \(number2())"
    case 6:
      return
        "\(to).extra\(pick(["[*]", ".list[?@ == 1]", "[?@.a == 1 || @ == true]", ".list[::-1]", "[?length(@) > 1]", "[?!@.b]", "[?@ == null]", "[?@.a == @.b]", "[?@ == @]"]))"
    default:
      return "value(\(to).extra\(pick([".a", "[*]", ".list[*]", "[?@ > 0]"]))) \(comparison()) \(value)"
    }
  }
}

extension RandomNumberGenerator {
  /// A number from 0 to below a bound.
  mutating func below(_ bound: Int) -> Int { Int(next() >> 1) % bound }
}
