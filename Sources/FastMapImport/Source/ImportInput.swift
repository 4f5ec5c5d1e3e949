/// One of several inputs of an import, opened when the import comes to it.
package struct ImportInput {
  package enum Text {
    case file(MappedFile)
    case stream(TextWindow.Input)
  }

  /// The name for messages.
  let name: String
  /// The beginning of its errors; nil for an input that is no file.
  let file: String?
  let format: JSONFormat
  /// The size of a file that is read as it is; nil for any other input.
  let size: Int?
  /// Whether it can be opened again.
  let repeats: Bool
  let open: () throws -> Text

  package init(
    name: String, file: String?, format: JSONFormat, size: Int? = nil, repeats: Bool,
    open: @escaping () throws -> Text
  ) {
    (self.name, self.file, self.format) = (name, file, format)
    (self.size, self.repeats, self.open) = (size, repeats, open)
  }

  /// A file that is mapped into memory, or a stream with a path.
  ///
  /// - Parameter isNamed: Whether errors begin with its name.
  static func file(_ path: String, isNamed: Bool, _ options: ImportOptions) -> ImportInput {
    let isStream = InputStreamFile.isStream(path)
    return ImportInput(
      name: path, file: isNamed ? path : nil,
      format: options.format == .automatic ? JSONFormat(ofFile: path) : options.format,
      size: isStream ? nil : InputFile.size(path), repeats: !isStream
    ) {
      if !isStream { return .file(try MappedFile(path)) }
      let stream = try InputStreamFile(path)
      return .stream {
        try DescriptorInput(descriptor: stream.descriptor, name: path).read(into: $0, isCancelled: $1)
      }
    }
  }
}

/// The inputs before the current one.
package struct PassedInputs {
  var count = 0
  var bytes = 0
  /// The numbers of root objects before this input, with one for each input: a lone root object has the number before the first.
  var roots = 0
  /// Whether one of them had a place for root objects.
  var hasFound = false
  /// Whether one of them may lack root objects that the payload should have.
  var lacksObjects = false
  /// The inputs that lack the root path, and the error of the first one.
  var without: [Int] = []
  var missing: MappingError?

  mutating func miss(_ error: MappingError) {
    without.append(count)
    lacksObjects = true
    missing = missing ?? error
  }

  /// Adds an input that was read to its end.
  mutating func add(_ source: RootSource, _ missing: MappingError?) {
    if let missing { miss(missing) } else if !source.isEmpty { hasFound = true }
    lacksObjects = lacksObjects || source.position.pages.lacksObjects || source.isEmpty
    bytes += source.position.offset
    roots += source.position.count + 1
    count += 1
  }
}
