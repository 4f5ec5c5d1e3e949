import FastMapCore
import TestSupport
import Testing

/// Data that does not fit, and all that the error says of it.
struct ErrorCase: Sendable, CustomTestStringConvertible {
  let subject: ErrorSubject
  let json: String
  let message: String
  /// Whether the fault is one of the text or of its root, which no policy can skip.
  let isFatal: Bool

  /// A number beyond the range of a double.
  static let digits400 = "1" + String(repeating: "0", count: 399)

  /// A case a line: the data, an arrow, and the message. The arrow `⇒` says that the fault is fatal. In the data, `␊`,
  /// `␍` and `␉` are a line feed, a carriage return and a tab.
  ///
  /// - Parameter data: The whole text around the data of a row.
  static func table(
    _ subject: ErrorSubject, _ rows: String, inside data: (String) -> String = { $0 }
  ) -> [ErrorCase] {
    rows.split(separator: "\n").map { row in
      let isFatal = row.contains(" ⇒ ")
      let parts = row.split(separator: isFatal ? " ⇒ " : " → ", omittingEmptySubsequences: false)
      precondition(parts.count == 2, "a row has data, an arrow and a message: \(row)")
      let json = parts[0].replacing("␍", with: "\r").replacing("␊", with: "\n").replacing("␉", with: "\t")
      return ErrorCase(
        subject: subject, json: data(String(json)), message: String(parts[1]), isFatal: isFatal)
    }
  }

  var testDescription: String { "\(subject.name): \(json.prefix(80))" }
}

/// The plan, the stored objects and the options with which an error case is imported.
struct ErrorSubject: Sendable {
  let name: String
  let plan: @Sendable () throws -> Plan
  /// Stored before, and there afterwards.
  let stored: String
  /// Objects without a fault, that stand around a faulty one when faults are skipped.
  let neighbours: [String]
  var options = ImportOptions()

  init<Object>(
    _ mapping: @autoclosure @escaping @Sendable () -> Mapping<Object>, stored: String,
    neighbours: [String] = []
  ) {
    name = mapping().name
    plan = { try mapping().plan() }
    self.stored = stored
    self.neighbours = neighbours
  }

  /// The same, one value a line, with the mapping's root path asked for.
  var ndjson: ErrorSubject {
    var subject = self
    subject.options.format = .ndjson
    subject.options.rootPath = (try? plan())?.root.rootPath
    return subject
  }

  func limited(toDepth depth: Int) -> ErrorSubject {
    var subject = self
    subject.options.maxDepth = depth
    return subject
  }
}

extension ErrorCase {
  /// The error is exactly the expected one, and the store is as it was; skipped, the error is listed and the rest is imported.
  ///
  /// BUG-49, BUG-50
  func check(_ kind: StoreKind) throws {
    let world = try World(kind, subject.plan(), holding: subject.stored)
    let before = try world.dump()
    #expect(world.failure(of: json, options: subject.options) == message)
    try #expect(world.dump() == before)

    if !isFatal, subject.options.format == .json {
      try #expect(world.failure(ofTree: json) == messageWithoutPlace)
      try #expect(world.dump() == before)
    }

    var skipping = subject.options
    skipping.faults = .skip
    if isFatal {
      #expect(world.failure(of: json, options: skipping) == message)
      try #expect(world.dump() == before)
    } else if subject.neighbours.isEmpty {
      let report = try world.report(json, options: skipping)
      #expect(Self.faults(report) == [message])
      let imported = report.entities.map { $0.counts.inserted + $0.counts.updated + $0.counts.unchanged }
      #expect(imported.reduce(0, +) >= report.rootObjects - 1)
    } else {
      try checkSkipping(world, skipping)
    }
  }

  /// The errors of a report without the words on a relationship that stays as it is, which only a skipping import has.
  private static func faults(_ report: ImportReport) -> [String] {
    report.errors.map {
      "\($0)".replacing("; nothing was removed from this list", with: "")
        .replacing("; this relationship stays as it was", with: "")
    }
  }

  /// The object on a line of its own between others.
  private func checkSkipping(_ world: World, _ options: ImportOptions) throws {
    let lines = [subject.neighbours[0], json, subject.neighbours[1]]
    let report = try world.report("[" + lines.joined(separator: "\n,\n") + "]", options: options)
    #expect(Self.faults(report) == [messageOnThirdLine])
    #expect(report.rootObjects == 3)
    let dump = try world.dump()
    for key in ["first", "last"] { #expect(dump.contains("\"\(key)\"")) }
  }

  /// The message for a tree, which has no lines and columns.
  private var messageWithoutPlace: String {
    String(message[..<(message.firstRange(of: " (line ")?.lowerBound ?? message.endIndex)])
  }

  /// The message, for the second of several root objects two lines further down.
  private var messageOnThirdLine: String {
    guard let place = message.firstRange(of: " (line ") else { return message }
    let (reason, location) = (message[..<place.lowerBound], message[place.upperBound...])
    let line = location.prefix { $0 != "," }
    return "$[1]" + reason.dropFirst() + " (line \((Int(line) ?? 0) + 2)" + location.dropFirst(line.count)
  }
}
