internal import CFastMap

/// The values that the caller gives to an import.
extension Plan {
  /// A field that reads such a value.
  fileprivate struct Field {
    let name: String
    /// The name of its form: fields of one value may have several types.
    let form: String
    /// The types of the value, or of the parts of a key.
    let types: [AttributeType]
    /// Whether the value is checked here. A type of Swift's checks it when it is read.
    var isChecked = true
  }

  private var contextFields: [Field] {
    mappings.flatMap { planned in
      let attributes = planned.mapping.attributes.compactMap { attribute -> Field? in
        guard let (name, form) = attribute.outerPath?.contextName else { return nil }
        let isChecked = attribute.rules.reading == nil && attribute.rules.transform == nil
        return Field(name: name, form: form, types: [attribute.type], isChecked: isChecked)
      }
      let relationships = planned.mapping.relationships.enumerated().compactMap {
        index, relationship -> Field? in
        guard let (name, form) = relationship.outerPath?.contextName else { return nil }
        return Field(name: name, form: form, types: mappings[planned.destinations[index]].keyTypes(in: self))
      }
      return attributes + relationships
    }
  }

  /// The JSON text of the values: by name, and then by form. Nil if no field reads one.
  ///
  /// - Throws: ``ContextValueError`` for a value that no field uses, or that a field cannot hold.
  package func contextText(_ values: [String: Value]) throws(ContextValueError) -> [UInt8]? {
    let fields = contextFields
    for name in values.keys.sorted() where !fields.contains(where: { $0.name == name }) {
      let names = Array(Set(fields.map(\.name))).sorted()
      throw ContextValueError(
        name: name,
        description: unknownName(
          "context value", named: name, among: names, verb: "no field reads a context value named"))
    }
    if fields.isEmpty { return nil }
    var forms: [String: [String: [UInt8]]] = [:]
    for field in fields {
      guard let value = values[field.name], value != .null else { continue }
      forms[field.name, default: [:]][field.form] = try field.text(of: value)
    }
    var writer = JSONWriter()
    writer.beginObject()
    for (name, texts) in forms.sorted(by: { $0.key < $1.key }) {
      writer.name(name)
      writer.beginObject()
      for (form, text) in texts.sorted(by: { $0.key < $1.key }) {
        writer.name(form)
        text.withUnsafeBufferPointer { writer.raw($0) }
      }
      writer.endObject()
    }
    writer.endObject()
    return writer.bytes
  }
}

extension Plan.Field {
  /// The first text of a value that the field can hold. A string is tried as JSON where the type is not text.
  fileprivate func text(of value: Value) throws(ContextValueError) -> [UInt8] {
    var texts: [[UInt8]] = []
    if case .string(let text) = value {
      texts = [Array(text.utf8), Self.text(value)]
      if types == [.string] { texts.reverse() }
    } else {
      texts = [Self.text(value)]
    }
    for text in texts where holds(text) { return text }
    let expected = types.count == 1 ? types[0].expectation : "an array of \(types.count) parts of a key"
    throw ContextValueError(
      name: name,
      description: "context value \(quoted(name)): expected \(expected), found \(value.found)")
  }

  private static func text(_ value: Value) -> [UInt8] {
    var writer = JSONWriter()
    if (try? writer.value(value)) == nil { writer.null() }
    return writer.bytes
  }

  private func holds(_ text: [UInt8]) -> Bool {
    guard
      let document = text.withUnsafeBytes({
        try? JSONDocument(parsing: $0, rejectsDuplicates: true, keepsReals: true)
      })
    else {
      return false
    }
    return document.withRoot { node in
      let value = JSONValue(node, document.bigIntegers)
      if !isChecked { return types != [.string] || value.string != nil }
      if types.count == 1 { return types[0].reads(value) }
      guard let parts = value.elements, parts.count == types.count else { return false }
      return zip(types, parts).allSatisfy { $0.reads($1) }
    }
  }
}

extension JSONKeyPath {
  /// The name of a value that the caller gives, and the name of its form.
  fileprivate var contextName: (name: String, form: String)? {
    guard origin == .context, steps.count == 2, case .member(let name) = steps[0],
      case .member(let form) = steps[1]
    else { return nil }
    return (name, form)
  }
}

extension PlannedMapping {
  /// The types of its key, or of the key's parts.
  fileprivate func keyTypes(in plan: Plan) -> [AttributeType] {
    if parts.isEmpty { return key.map { [mapping.attributes[$0].type] } ?? [] }
    return parts.flatMap { part -> [AttributeType] in
      switch part {
      case .attribute(let index): [mapping.attributes[index].type]
      case .relationship: [.json]
      }
    }
  }
}
