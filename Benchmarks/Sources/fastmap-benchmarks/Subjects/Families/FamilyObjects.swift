import FastMapCore
import FastMapMemory

/// A child as a class, as a user of FastMap would write it.
class ChildObject {
  var id = 0
  var boolean = false
  var int16: Int16 = 0
  var int32: Int32 = 0
  var int64: Int64 = 0
  var float: Float = 0
  var double = 0.0
  var string = ""
  var date = Timestamp(seconds: 0)
  var data: [UInt8] = []
  var decimal = ""

  static let mapping = Mapping(ChildObject.self, "Child", primaryKey: "id", make: ChildObject.init) {
    Attribute("id", \.id)
    Attribute("boolean", \.boolean)
    Attribute("int16", \.int16)
    Attribute("int32", \.int32)
    Attribute("int64", \.int64)
    Attribute("float", \.float)
    Attribute("double", \.double)
    Attribute("string", \.string)
    Attribute("date", \.date)
    Attribute("data", \.data)
    Attribute("decimal", \.decimal)
  }
}

/// A parent as a class.
final class ParentObject: ChildObject {
  var children: [ChildObject] = []

  static let parents = parents(.assign)

  static func parents(_ policy: RelationshipPolicy) -> Mapping<ParentObject> {
    Mapping(ParentObject.self, "Parent", primaryKey: "id", make: ParentObject.init) {
      Attribute("id", \.id)
      Attribute("boolean", \.boolean)
      Attribute("int16", \.int16)
      Attribute("int32", \.int32)
      Attribute("int64", \.int64)
      Attribute("float", \.float)
      Attribute("double", \.double)
      Attribute("string", \.string)
      Attribute("date", \.date)
      Attribute("data", \.data)
      Attribute("decimal", \.decimal)
      ToMany("children", \.children, ChildObject.mapping, policy: policy)
    }
  }
}

/// FastMap: JSON text into instances of classes, uniqued and related, without a store.
struct FastMapObjects: Subject {
  let families: Families
  var readsAhead = true

  func prepare() throws -> () throws -> Int {
    var options = ImportOptions()
    options.readsAhead = readsAhead
    return { [options] in
      let parents = try ParentObject.parents.objects(from: families.json, options: options)
      let count = parents.reduce(parents.count) { $0 + $1.children.count }
      try WrongOutcome.check(count == families.objectCount, "\(families.objectCount) objects, found \(count)")
      return parents.count
    }
  }
}
