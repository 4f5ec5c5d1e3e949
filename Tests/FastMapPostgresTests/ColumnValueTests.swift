#if Postgres
  import FastMapCore
  import Testing

  @testable import FastMapPostgres

  @Suite(.needsServer) struct ColumnValueTests {
    /// A value and its text in `psql`: the column, and the second one.
    struct Case: CustomTestStringConvertible, Sendable {
      let kind: AttributeKind
      let value: Value
      let shown: String
      var exact: String?

      init(_ kind: AttributeKind, _ value: Value, _ shown: String, _ exact: String? = nil) {
        self.kind = kind
        self.value = value
        self.shown = shown
        self.exact = exact
      }

      var testDescription: String { "\(kind) \(shown.prefix(40))" }
    }

    static let cases: [Case] = [
      Case(.boolean, .boolean(true), "true"), Case(.boolean, .boolean(false), "false"),
      Case(.integer, .integer(0), "0"), Case(.integer, .integer(.min), "-9223372036854775808"),
      Case(.integer, .integer(.max), "9223372036854775807"),
      Case(.integer, .unsigned(1 << 63), "9223372036854775807", "9223372036854775808"),
      Case(.integer, .unsigned(.max), "9223372036854775807", "18446744073709551615"),
      Case(.number, .number(0.1), "0.1"), Case(.number, .number(-0.0), "-0"),
      Case(.number, .number(.infinity), "Infinity"), Case(.number, .number(.nan), "NaN"),
      Case(.number, .number(Double(bitPattern: 0xFFF8_0000_0000_1234)), "NaN"),
      Case(.number, .number(.leastNonzeroMagnitude), "5e-324"),
      Case(.number, .number(.greatestFiniteMagnitude), "1.7976931348623157e+308"),
      Case(.decimal, .decimal("12.50"), "12.50"), Case(.decimal, .decimal("-3"), "-3"),
      Case(.decimal, .decimal("0.00"), "0.00"), Case(.decimal, .decimal("-0.0"), "0.0", "-0.0"),
      Case(.decimal, .decimal("0.00012"), "0.00012"), Case(.decimal, .decimal("10000.0001"), "10000.0001"),
      Case(.decimal, .decimal("-100000000.000000010"), "-100000000.000000010"),
      Case(.decimal, .decimal("1e3"), "1000", "1e3"),
      Case(.decimal, .decimal("12.5E-3"), "0.0125", "12.5E-3"),
      Case(.decimal, .decimal("1.50e+1"), "15.0", "1.50e+1"),
      Case(
        .decimal, .decimal("99999999999999999999999999999999999999"), "99999999999999999999999999999999999999"
      ),
      Case(
        .decimal, .decimal("-9.8765432109876543210987654321098765432"),
        "-9.8765432109876543210987654321098765432"),
      Case(.decimal, .decimal("1e-6144"), "0." + String(repeating: "0", count: 6143) + "1", "1e-6144"),
      Case(.decimal, .decimal("25e6143"), "25" + String(repeating: "0", count: 6143), "25e6143"),
      Case(.string, .string(""), ""), Case(.string, .string("é😀\u{10FFFF}"), "é😀\u{10FFFF}"),
      Case(.string, .string("a\0b"), "a\u{1}\u{1}b"), Case(.string, .string("\0"), "\u{1}\u{1}"),
      Case(.string, .string("\u{1}\u{2}"), "\u{1}\u{2}\u{2}"),
      Case(.string, .string("1234567\u{1}"), "1234567\u{1}\u{2}"),
      Case(.string, .string("e\u{301}"), "e\u{301}"),
      Case(
        .string, .string(String(repeating: "x\u{7F}é", count: 50_000)),
        String(repeating: "x\u{7F}é", count: 50_000)),
      Case(.date, .date(Timestamp(seconds: 0)), "1970-01-01 00:00:00+00"),
      Case(
        .date, .date(Timestamp(seconds: 1_372_701_600, nanoseconds: 123_456_000)),
        "2013-07-01 18:00:00.123456+00"),
      Case(
        .date, .date(Timestamp(seconds: 1_372_701_600, nanoseconds: 123_456_789)),
        "2013-07-01 18:00:00.123456+00",
        "1372701600 123456789"),
      Case(.date, .date(Timestamp(seconds: -2, nanoseconds: 750_000_000)), "1969-12-31 23:59:58.75+00"),
      Case(.date, .date(Timestamp(seconds: -210_866_803_200)), "4714-11-24 00:00:00+00 BC"),
      Case(.date, .date(Timestamp(seconds: -210_866_803_201)), "-infinity", "-210866803201 0"),
      Case(
        .date, .date(Timestamp(seconds: 9_224_318_015_999, nanoseconds: 999_999_000)),
        "294276-12-31 23:59:59.999999+00"),
      Case(.date, .date(Timestamp(seconds: 9_224_318_016_000)), "infinity", "9224318016000 0"),
      Case(
        .date, .date(Timestamp(seconds: .max, nanoseconds: 999_999_999)), "infinity",
        "9223372036854775807 999999999"),
      Case(.date, .date(Timestamp(seconds: .min)), "-infinity", "-9223372036854775808 0"),
      Case(.data, .data([]), "\\x"), Case(.data, .data([0, 255, 1]), "\\x00ff01"),
      Case(.json, .json("null"), "null"), Case(.json, .json("[1,\"a\"]"), "[1, \"a\"]"),
      Case(.json, .json("{\"bb\":2,\"a\":1}"), "{\"a\": 1, \"bb\": 2}", "{\"bb\":2,\"a\":1}"),
      Case(.json, .json("1e10"), "10000000000", "1e10"), Case(.json, .json("1.10"), "1.10"),
      Case(.json, .json("\"\\u0000\""), "\"\u{FFFD}\"", "\"\\u0000\""),
      Case(.json, .json("1e999999"), "", "1e999999"),
      Case(.json, .json("\" , : \\\" \""), "\" , : \\\" \""),
    ]

    @Test("A value comes back to the last bit, from columns that a person reads", arguments: cases)
    func comesBack(_ test: Case) throws {
      let kind = test.kind
      let schema = try TestSchema()
      try schema.execute("CREATE TABLE \(schema.name).t (v \(kind.typeName), e text)")
      let (values, exacts) = (ArrayColumn(of: kind.type), ArrayColumn(of: .text))
      lend(test.value) { field in
        values.append { value in
          exacts.append { exact in
            kind.write(field, to: value, exact: exact)
            if !kind.hasExact { exact.null() }
          }
        }
      }
      try schema.pool.write { connection in
        var parameters = Parameters()
        parameters.column(values)
        parameters.column(exacts)
        _ = try connection.run(
          Statement("INSERT INTO \(schema.name).t SELECT * FROM unnest($1, $2)", kind.type.array, .textArray),
          parameters)
        return .commit(())
      }
      try schema.pool.read { connection in
        try connection.execute(
          "SET LOCAL TimeZone = 'UTC'", "SET LOCAL DateStyle = 'ISO'", "SET LOCAL bytea_output = 'hex'")
        let answer = try connection.run(Statement("SELECT v, e, v::text FROM \(schema.name).t"))
        try #require(answer.rowCount == 1)
        let memory = DecodedBytes()
        let found = kind.read(answer, 0, 0, memory)
        #expect(found.map(text) == text(test.value))
        #expect(answer.text(0, 2) == test.shown)
        #expect((answer.isNull(0, 1) ? nil : answer.text(0, 1)) == test.exact)
      }
    }

    @Test("Null and missing are null, in both columns", arguments: AttributeKind.allCases)
    func null(_ kind: AttributeKind) throws {
      let (value, exact) = (FieldBuffer(), FieldBuffer())
      kind.write(.missing, to: value, exact: exact)
      lend(.null) { kind.write($0, to: value, exact: exact) }
      #expect(Array(value.bytes) == [UInt8](repeating: 255, count: 8))
      #expect(exact.count == (kind.hasExact ? 8 : 0))
    }

    @Test("Text that no store writes is not a value")
    func damaged() throws {
      let schema = try TestSchema()
      let cases: [(AttributeKind, String)] = [
        (.string, "'a' || chr(1), null::text"), (.string, "chr(1) || chr(3), null::text"),
        (.date, "'infinity'::timestamptz, null::text"), (.date, "now(), '1 2 3'"),
        (.date, "now(), '1 1000000000'"),
        (.decimal, "'NaN'::numeric, null::text"), (.decimal, "1::numeric, 'x'"),
        (.decimal, "1 + 10::numeric ^ 300, null::text"), (.integer, "1::bigint, 'x'"),
        (.json, "null::jsonb, chr(1)"),
      ]
      for (kind, values) in cases {
        try schema.pool.read { connection in
          let answer = try connection.run(Statement("SELECT \(values)"))
          #expect(kind.read(answer, 0, 0, DecodedBytes()) == nil, "\(values)")
        }
      }
    }

    @Test("A decimal without an exponent is the text that numeric writes, wherever its digits begin and end")
    func decimals() {
      for digits in ["1", "12", "10203", "99990001", "100000000000000001"] {
        for place in 0...digits.count {
          for zeros in 0..<6 {
            let whole = String(digits.prefix(place))
            let fraction = String(repeating: "0", count: whole.isEmpty ? zeros : 0) + digits.dropFirst(place)
            for sign in ["", "-"] {
              let text = sign + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : ".\(fraction)0")
              let column = FieldBuffer()
              let isSame = Array(text.utf8).withUnsafeBytes { StoredDecimal.write($0, to: column) }
              let found = StoredDecimal.text(of: UnsafeRawBufferPointer(rebasing: column.bytes.dropFirst(4)))
              #expect(isSame && found == Array(text.utf8), "\(text)")
            }
          }
        }
      }
    }

    @Test("Encoded strings keep their order by bytes")
    func order() {
      let texts = [
        "", "\0", "\0\0", "\0a", "\u{1}", "\u{1}\0", "\u{1}\u{1}", "\u{2}", "a", "a\0", "a\u{1}", "a\u{2}",
        "aa",
      ]
      let encoded = texts.map { Array(StoredText.encoded($0).utf8) }
      for (a, b) in zip(encoded, encoded.dropFirst()) { #expect(a.lexicographicallyPrecedes(b)) }
      for text in texts {
        #expect(StoredText.decoded(StoredText.encoded(text)).utf8.elementsEqual(text.utf8))
      }
    }

    private func lend(_ value: Value, _ body: (Field) throws -> Void) rethrows {
      var buffer = RowBuffer()
      buffer.reset(count: 1)
      buffer.set(value, at: 0)
      try body(buffer.row[0])
      buffer.reset(count: 0)
    }

    private func text(_ field: Field) -> String { field.value.map { text($0) } ?? "missing" }

    private func text(_ value: Value) -> String {
      switch value {
      case .number(let number): "number \(number.bitPattern)"
      case .string(let text): "string \(Array(text.utf8))"
      default: "\(value)"
      }
    }
  }
#endif
