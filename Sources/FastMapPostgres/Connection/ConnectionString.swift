#if Postgres
  internal import CFastMapPostgres
  internal import FastMapStoreKit
  internal import FastMapSystem

  /// A connection string as libpq reads it, and the parameter `schema` of a URI, which is ours.
  struct ConnectionString: Sendable {
    let text: String
    /// The schema that the URI names; nil if it names none.
    let schema: String?

    /// - Throws: ``PostgresError`` if libpq cannot read it. The error does not have the string, which may have a password.
    init(_ string: String) throws(PostgresError) {
      guard !string.utf8.contains(0) else {
        throw PostgresError(server: "?", message: "the connection string is invalid: it has a NUL")
      }
      try Self.checkHosts(of: string)
      (text, schema) = try Self.split(string)
      var message: UnsafeMutablePointer<CChar>?
      guard let options = PQconninfoParse(text, &message) else {
        let reason = message.map { String(cString: $0) } ?? "out of memory"
        PQfreemem(message)
        throw PostgresError(
          server: "?", message: "the connection string is invalid: \(Self.withoutQuotes(reason.trimmed))")
      }
      PQconninfoFree(options)
    }

    /// A reason without its quoted text, which may be a part of a password.
    private static func withoutQuotes(_ reason: String) -> String {
      guard let first = reason.firstIndex(of: "\""), let last = reason.lastIndex(of: "\"") else {
        return reason
      }
      return reason[...first] + "…" + reason[last...]
    }

    /// Refuses a URI in which libpq takes a part of a password for a host, a port or a database. Its errors would show
    /// the part.
    private static func checkHosts(of string: String) throws(PostgresError) {
      guard isURI(string) else { return }
      let bytes = Array(string.utf8)
      let start = 3 + (bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0)
      let slash = bytes[start...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
      let hosts = bytes[start..<slash].firstIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? start
      let query = bytes[hosts...].firstIndex(of: UInt8(ascii: "?")) ?? bytes.endIndex
      let ports = bytes[hosts..<min(max(slash, hosts), query)].split(separator: UInt8(ascii: ",")).map {
        host in
        // An IPv6 address stands in brackets.
        let name = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
        return host[name...].drop { $0 != UInt8(ascii: ":") }.dropFirst()
      }
      guard !bytes[hosts..<query].contains(UInt8(ascii: "@")),
        ports.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
      else {
        throw PostgresError(
          server: "?",
          message: "the connection string is invalid: expected a port of digits, and in names and passwords "
            + "%40 in place of @, %2F in place of / and %3A in place of :")
      }
    }

    static func isURI(_ text: String) -> Bool {
      text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    }

    /// Where the question mark before the parameters of a URI is; nil if there are none.
    private static func queryMark(of bytes: [UInt8]) -> Int? {
      // A password may have a question mark. The password ends at the first "@", if that comes before the path.
      let afterScheme = 3 + (bytes.firstIndex(of: UInt8(ascii: ":")) ?? 0)
      let path = bytes[afterScheme...].firstIndex(of: UInt8(ascii: "/")) ?? bytes.endIndex
      let host = bytes[afterScheme..<path].firstIndex(of: UInt8(ascii: "@")) ?? afterScheme
      return bytes[host...].firstIndex(of: UInt8(ascii: "?"))
    }

    /// The names of the parameters of a URI, in order. Empty if one may be a part of a password.
    static func parameterNames(of string: String) -> [String] {
      let bytes = Array(string.utf8)
      guard isURI(string), let mark = queryMark(of: bytes), !bytes[mark...].contains(UInt8(ascii: "@")) else {
        return []
      }
      return bytes[(mark + 1)...].split(separator: UInt8(ascii: "&")).compactMap {
        decoded($0.prefix { $0 != UInt8(ascii: "=") })
      }
    }

    static var knownParameters: [String] {
      guard let options = PQconndefaults() else { return [] }
      defer { PQconninfoFree(options) }
      var names = ["schema", "ssl"]
      var option = options
      while let keyword = option.pointee.keyword {
        names.append(String(cString: keyword))
        option += 1
      }
      return names
    }

    /// The server and the database as libpq would take them, without the user: `db.example.com:5432/shop`.
    var place: String {
      var values: [String: String] = [:]
      func read(_ options: UnsafeMutablePointer<PQconninfoOption>?) {
        guard var option = options else { return }
        while let keyword = option.pointee.keyword {
          if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
          option += 1
        }
        PQconninfoFree(options)
      }
      read(PQconndefaults())
      read(PQconninfoParse(text, nil))
      let host = values["host"] ?? values["hostaddr"] ?? "localhost"
      return "\(host):\(values["port"] ?? "")/\(values["dbname"] ?? values["user"] ?? "")"
    }

    /// Takes the parameter `schema` out of a URI.
    private static func split(_ string: String) throws(PostgresError) -> (String, String?) {
      guard isURI(string) else { return (string, nil) }
      let bytes = Array(string.utf8)
      guard let mark = queryMark(of: bytes) else { return (string, nil) }
      var schema: String?
      var kept: [ArraySlice<UInt8>] = []
      for parameter in bytes[(mark + 1)...].split(separator: UInt8(ascii: "&")) {
        let parts = parameter.split(
          separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard decoded(parts[0]) == "schema" else {
          kept.append(parameter)
          continue
        }
        guard parts.count == 2, let name = decoded(parts[1]), !name.isEmpty else {
          throw PostgresError(
            server: "?", message: "the connection string is invalid: expected a name after \"schema=\"")
        }
        schema = name
      }
      guard schema != nil else { return (string, nil) }
      var rest = Array(bytes[..<mark])
      if !kept.isEmpty { rest += [UInt8(ascii: "?")] + kept.joined(separator: [UInt8(ascii: "&")]) }
      return (String(decoding: rest, as: UTF8.self), schema)
    }

    /// The text with percent signs resolved; nil if one is malformed.
    private static func decoded(_ bytes: ArraySlice<UInt8>) -> String? {
      var result: [UInt8] = []
      var rest = bytes
      while let byte = rest.popFirst() {
        guard byte == UInt8(ascii: "%") else {
          result.append(byte)
          continue
        }
        guard rest.count >= 2, let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else {
          return nil
        }
        result.append(value)
        rest = rest.dropFirst(2)
      }
      let text = String(decoding: result, as: UTF8.self)
      return text.utf8.elementsEqual(result) ? text : nil
    }
  }

  extension String {
    /// On one line, without spaces at the beginnings of lines. Lines that have no stop get one.
    var trimmed: String {
      split(whereSeparator: \.isNewline).reduce("") { text, line in
        let line = line.drop { $0 == " " || $0 == "\t" }
        guard let last = text.last, let first = line.first else { return text + line }
        let isOpen = last.isLetter || last.isNumber || last == "\"" || last == ")"
        return text + (isOpen ? first.isUppercase ? ". " : "; " : " ") + line
      }
    }
  }
#endif
