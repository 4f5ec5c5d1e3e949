import FastMapCore

extension Families {
  /// FastMap's mappings of parents and children.
  ///
  /// - Parameter indexes: Attributes of children, each with an index.
  static func makePlan(policy: RelationshipPolicy = .assign, indexes: [String] = []) throws -> Plan {
    let attributes = [
      Attribute("id", .integer),
      Attribute("boolean", .boolean),
      Attribute("int16", .integer),
      Attribute("int32", .integer),
      Attribute("int64", .integer),
      Attribute("float", .number),
      Attribute("double", .number),
      Attribute("string", .string),
      Attribute("date", .date(.iso8601)),
      Attribute("data", .data),
      Attribute("decimal", .string),
    ]
    let child = Mapping("Child", primaryKey: "id") {
      for attribute in attributes { attribute }
      for index in indexes { Index(index) }
    }
    let parent = Mapping("Parent", primaryKey: "id") {
      for attribute in attributes { attribute }
      ToMany("children", child, policy: policy)
    }
    return try Plan(parent)
  }
}
