/// A text that a store keeps about itself.
///
///     let file = try (reader as? any TextReader)?.text(.mappings)
package enum KeptText: String, CaseIterable, Sendable {
  /// The mapping file that the store is written with.
  case mappings
  /// The names of the mappings that were imported at the root: a JSON array of strings.
  case roots
  /// The fields that read members which a rest has: a JSON array of arrays.
  case rests
}

/// A reader of a store that keeps texts.
package protocol TextReader: StoreReader {
  /// The text in UTF-8; nil where none is kept.
  mutating func text(_ name: KeptText) throws -> [UInt8]?
}

/// A writer of a store that keeps texts, in its transaction.
package protocol TextWriter: StoreWriter {
  mutating func keep(_ text: [UInt8], as name: KeptText) throws
  /// Whether it keeps a mapping file too.
  var keepsMappings: Bool { get }
}

extension TextWriter {
  package var keepsMappings: Bool { true }
}
