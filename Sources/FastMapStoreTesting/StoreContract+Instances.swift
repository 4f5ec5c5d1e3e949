internal import FastMapCore

extension StoreContract {
  static var instanceChecks: [Check] {
    [
      Check("Records have no instances, and adopt none") { contract in
        let bench = try contract.makeBench()
        try bench.load(#"[{"id":1},{"id":2}]"#)
        let id = try bench.id(1)
        try bench.store.read(bench.plan.schema) { reader in
          try expect(reader.instance(id, of: 0) == nil, "a record has an instance")
          let none = ObjectID(rawValue: id.rawValue + 1000)
          try expect(reader.instance(none, of: 0) == nil, "what is not stored has an instance")
        }
        try bench.write { writer in
          try expect(writer.instance(id, of: 0) == nil, "a record has an instance in a write")
          try expect("the number of what is adopted", writer.adopt(Pupil(), of: 0), is: nil)
        }
        try expect("the objects", bench.count(), is: 2)
      },
      Check("An object of a class has the same instance as long as it lives, or none in any store of values")
      {
        contract in
        let bench = try contract.makePupils()
        let keys = [1, 2, 3] as [PrimaryKey]
        let before = try bench.instances(keys)
        try bench.load(#"[{"id":1,"name":"z"},{"id":4,"name":"d"}]"#)
        let after = try bench.instances(keys)
        try expect("the instances afterwards", after.map(\.?.number), is: before.map(\.?.number))
        let numbers = before.compactMap(\.?.number)
        try expect(numbers.isEmpty || Set(numbers).count == 3, "some objects have instances, or share one")
        try bench.expectObject(1, is: #"name="z""#)
        if let pupil = after[0] { try expect("the name of an instance", pupil.name, is: "z") }
        let id = try bench.id(2)
        try bench.write { writer in
          try expect(writer.instance(id, of: 0) === before[1], "a write has another instance")
        }
      },
      Check("A store of instances adopts each once, and a store of values none") { contract in
        let bench = try contract.makePupils()
        let (schema, known) = (bench.plan.schema, try bench.instances([1])[0])
        let (id, new) = (try bench.id(1), Pupil(id: 9, name: "new"))
        try expect(
          "whether the store says that it keeps them", bench.store.capabilities.keepsInstances,
          is: known != nil)
        for isKept in [false, true] {
          let adopted = try bench.store.write(schema) { writer -> TransactionCompletion<ObjectID?> in
            let adopted = try writer.adopt(new, of: 0)
            guard let known else {
              try expect("the number in a store of values", adopted, is: nil)
              try expect("the objects", writer.count(of: 0), is: 3)
              return .rollBack(nil)
            }
            guard let adopted else { throw Failure(reason: "a store of instances adopts none") }
            try expect("the number of one that is an object", writer.adopt(known, of: 0), is: id)
            try expect("the number of the same again", writer.adopt(new, of: 0), is: adopted)
            try expect(writer.instance(adopted, of: 0) === new, "what was adopted is another instance")
            try expect("the object of its key", writer.find(9, of: 0), is: adopted)
            try expect("the objects", writer.count(of: 0), is: 4)
            return isKept ? .commit(adopted) : .rollBack(adopted)
          }
          try expect("the objects afterwards", bench.count(), is: known != nil && isKept ? 4 : 3)
          if adopted != nil, isKept { try bench.expectObject(9, is: #"name="new""#) }
        }
      },
    ]
  }

  /// Three objects of a class.
  private func makePupils() throws -> Bench<S> {
    let bench = Bench(store: try makeBench().store, plan: try Pupil.mapping.plan())
    try bench.load(#"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3}]"#)
    return bench
  }
}

/// A class whose objects a store may keep.
private final class Pupil {
  var id: Int
  var name: String?

  init(id: Int = 0, name: String? = nil) {
    self.id = id
    self.name = name
  }

  static let mapping: Mapping<Pupil> = Mapping(Pupil.self, "Pupil", primaryKey: "id", make: { Pupil() }) {
    Attribute("id", \.id)
    Attribute("name", \.name)
  }

  var number: ObjectIdentifier { ObjectIdentifier(self) }
}

extension Bench {
  /// The instances of the objects with some keys.
  fileprivate func instances(_ keys: [PrimaryKey]) throws -> [Pupil?] {
    try keys.map { key in
      let id = try id(key)
      let instance = try store.read(plan.schema) { $0.instance(id, of: 0) }
      guard let instance else { return nil }
      guard let pupil = instance as? Pupil else {
        throw Failure(reason: "an instance is of another class: \(type(of: instance))")
      }
      return pupil
    }
  }
}
