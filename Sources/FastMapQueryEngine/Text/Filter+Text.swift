extension Filter {
  /// Reads a filter from text: the tool's FILTER.
  ///
  ///     let adults = try Filter("@.age >= 18 && @.author.name == \"Ada\"")
  ///     let tagged = try Filter("@.tags[?@.name == 'swift'] || match(@.title, 'Swift.*')")
  ///
  /// The text is a filter expression of RFC 9535 (JSONPath): the part after `?` there. `@` is the object, and its
  /// members are the attributes and relationships. Names and types are checked later, when the filter meets a mapping.
  ///
  /// The grammar follows RFC 9535, with these rulings:
  ///
  /// - `$` and `..` are faults. A filter is about one object, and a path names every step, because related objects may
  ///   form rings.
  /// - The functions are `length`, `count`, `match`, `search`, `value` and `lower`. Their arguments are checked as RFC 9535 types
  ///   them.
  /// - A compared path may have blanks inside its brackets: `@[ 0 ] == 1`.
  /// - A number is compared with integers exactly, with all its digits: `9007199254740992.5` lies between two of them. Beside
  ///   a field of numbers, which are `Double`, it is the nearest `Double`, as in a payload: infinity if it is too
  ///   large. `-0` is the integer 0. Inside JSON, a number of more than 38 digits is the nearest `Double`.
  /// - Parentheses, functions and inner filters nest at most 64 levels deep. A filter has at most a million conditions,
  ///   terms, steps and values.
  /// - The pattern of `match` and `search` is an I-Regexp (RFC 9485), checked with the mapping. A pattern has at most 10 000
  ///   characters, repetitions written out. `^` at its start and `$` at its end are faults, because RFC 9485 has no
  ///   anchors. The empty class `[^]` is a fault, too.
  ///
  /// - Parameter text: A condition. Blanks may surround it.
  /// - Throws: ``FilterError`` with the first fault of grammar: its column, and the expected and the found token.
  /// - Complexity: O(*n*) in the bytes of the text.
  public init(_ text: String) throws(FilterError) {
    var parser = FilterParser(text)
    self = try parser.filter()
  }
}

extension Filter: CustomStringConvertible {
  /// The filter as text, which `Filter(text)` reads as a filter with the same meaning.
  ///
  /// Most filters become equal again. Some have no form of their own in RFC 9535, so they keep only their meaning:
  ///
  /// - A date becomes a string with ISO 8601, and data a string with base64. They are equal again once a mapping has
  ///   given them their types.
  /// - A choice among values becomes comparisons joined by `||`.
  /// - A prefix becomes `match`, and a substring `search`.
  /// - A property has its own name, even if the mapping calls the field something else.
  ///
  /// Some have no text that a query accepts:
  ///
  /// - a filter that no query accepts either,
  /// - a date outside the years of ISO 8601,
  /// - a prefix or a substring longer than a pattern may be.
  public var description: String { text { _ in nil } }

  /// The filter as text.
  ///
  /// - Parameter name: The name of the field of a property; nil where it is unknown.
  package func text(naming name: @escaping (AnyKeyPath) -> String?) -> String {
    var printer = FilterPrinter(name)
    printer.append(self, in: .anywhere)
    return printer.text
  }
}

extension FilterPath: CustomStringConvertible {
  /// The path as text: `@.author.name`.
  package var description: String { text { _ in nil } }

  /// The path as text.
  ///
  /// - Parameter name: The name of the field of a property; nil where it is unknown.
  package func text(naming name: @escaping (AnyKeyPath) -> String?) -> String {
    var printer = FilterPrinter(name)
    printer.append(self)
    return printer.text
  }
}
