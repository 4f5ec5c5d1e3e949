#if Postgres
  import FastMapCore
  import Testing

  @testable import FastMapPostgres

  @Suite struct StoredJSONTests {
    private func form(_ text: String) -> StoredJSON.Form {
      var text = text
      return text.withUTF8 { StoredJSON.form(of: UnsafeRawBufferPointer($0)) }
    }

    @Test(
      "jsonb returns these texts as they are",
      arguments: [
        "null", "true", "false", "0", "-1", "1.50", "12345678901234567890123", "\"\"", "\"é😀\"", "[]", "{}",
        "[1,[2,[]],{}]", #"{"a":1}"#, #"{"a":1,"b":2,"aa":3}"#, #"{"a":{"b":[]},"c":"x, y: z"}"#,
        #""\n\t\r\b\f\"\\""#, #""\u0001\u001f""#, "[0.0,10]", #"{"b":"\n","aa":1}"#,
      ])
    func same(_ text: String) { #expect(form(text) == .same) }

    @Test(
      "jsonb returns these in another form",
      arguments: [
        "-0", "-0.0", "1e5", "1E-7", #"{"b":1,"a":2}"#, #"{"aa":1,"b":2}"#, #"{"a":1,"a":2}"#, "[1, 2]", " 1",
        #""\/""#, #""\u0041""#, #""\u001F""#, #""\u000a""#, #"[{"b":1,"a":[{}]}]"#, #"{"\"":1}"#,
      ])
    func other(_ text: String) { #expect(form(text) == .other) }

    @Test("U+0000 is replaced for jsonb")
    func zero() {
      #expect(form(#"["\u0000",{"a\u0000":1}]"#) == .replaced(Array(#"["\ufffd",{"a\ufffd":1}]"#.utf8)))
    }

    @Test(
      "Text that is no JSON for PostgreSQL is not given to it",
      arguments: [
        "", "[", "]", "[1,]", "{\"a\"}", "{\"a\":}", "{1:2}", "nul", "nulll", "01", "1.", ".5", "-", "1e",
        "+1", "\"",
        "\"\n\"", #""\x""#, #""\u12""#, #""\ud83d""#, "1 2", "[1]]", "1e999999", "NaN", "{\"a\":1,}",
        String(repeating: "[", count: 2049) + String(repeating: "]", count: 2049),
        String(repeating: "9", count: 5000),
      ])
    func none(_ text: String) { #expect(form(text) == .none) }

    @Test("JSON is told from other texts, also if jsonb does not take it")
    func isJSON() {
      func isJSON(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { StoredJSON.isJSON(UnsafeRawBufferPointer($0)) }
      }
      let deep = String(repeating: "[", count: 3000) + String(repeating: "]", count: 3000)
      for text in ["1e999999", #""\ud83d\ude00""#, deep, String(repeating: "9", count: 5000), "{}", "[1, 2]"]
      {
        #expect(isJSON(text), "\(text.prefix(20))")
      }
      for text in ["", "{", "x", "[1,]", "01", "1e", #""\x""#, "{}}", "\"\n\"", "nul"] {
        #expect(!isJSON(text), "\(text)")
      }
    }

    @Test("Values too large for jsonb, or returned with too many digits, are not given to it")
    func tooLarge() {
      func form(_ text: String) -> StoredJSON.Form {
        var text = text
        return text.withUTF8 { StoredJSON.form(of: UnsafeRawBufferPointer($0), maximumLength: 20_000) }
      }
      func array(_ element: String, _ count: Int) -> String {
        "[" + [String](repeating: element, count: count).joined(separator: ",") + "]"
      }
      // A number of one digit takes twelve bytes, and more while it is read.
      #expect(form(array("1", 500)) == .same)
      #expect(form(array("1", 1000)) == .none)
      #expect(form(array("1e300", 100)) == .other)
      #expect(form(array("1e300", 200)) == .none)
      #expect(form(array("1e-300", 200)) == .none)
      #expect(form("\"" + String(repeating: "x", count: 19_000) + "\"") == .same)
      #expect(form("{" + (100..<600).map { "\"\($0)\":{}" }.joined(separator: ",") + "}") == .none)
    }

    @Test("Generated JSON comes back from jsonb exactly when its form is the same", .needsServer)
    func generated() throws {
      var random = SystemRandomNumberGenerator()
      let schema = try TestSchema()
      var texts: [String] = []
      for _ in 0..<2000 { texts.append(Self.value(&random, depth: 0)) }
      let column = ArrayColumn(texts)
      let found = try schema.pool.read { connection in
        let statement = Statement(
          "SELECT t::jsonb FROM unnest($1) WITH ORDINALITY n (t, i) ORDER BY i", .textArray)
        let answer = try connection.run(statement, Parameters(column))
        return (0..<answer.rowCount).map { row in
          let bytes = UnsafeRawBufferPointer(rebasing: answer.bytes(row, 0).dropFirst())
          return String(decoding: StoredJSON.compact(bytes), as: UTF8.self)
        }
      }
      try #require(found.count == texts.count)
      var kept = 0
      for (text, found) in zip(texts, found) {
        let isSame = form(text) == .same
        kept += isSame ? 1 : 0
        // It may call a text changed that is not, but not the other way round.
        if isSame { #expect(found == text) }
        if found != text { #expect(form(text) == .other, "\(text)") }
      }
      #expect(kept > 500)
    }

    private static func value(_ random: inout some RandomNumberGenerator, depth: Int) -> String {
      switch Int.random(in: 0...(depth > 3 ? 4 : 6), using: &random) {
      case 0: return ["null", "true", "false"].randomElement(using: &random) ?? "null"
      case 1: return "\(Int.random(in: -1000...1000, using: &random))"
      case 2:
        return ["-0", "1.0", "0.10", "1e3", "-2.5E-3", "123456.789"].randomElement(using: &random) ?? "0"
      case 3, 4: return string(&random)
      case 5:
        let count = Int.random(in: 0...4, using: &random)
        return "[" + (0..<count).map { _ in value(&random, depth: depth + 1) }.joined(separator: ",") + "]"
      default:
        let count = Int.random(in: 0...3, using: &random)
        let members = (0..<count).map { _ in "\(string(&random)):\(value(&random, depth: depth + 1))" }
        return "{" + members.joined(separator: ",") + "}"
      }
    }

    private static func string(_ random: inout some RandomNumberGenerator) -> String {
      let parts = [
        "a", "b", ": ", ", ", "é", "\\n", "\\\"", "\\u0007", "\\u00e9", "😀", "{", "]", "\\\\", "\\/",
      ]
      let count = Int.random(in: 0...3, using: &random)
      return "\"" + (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }.joined() + "\""
    }
  }
#endif
