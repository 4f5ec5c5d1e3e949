internal import FastMapStoreKit

extension StoreLayout {
  /// Finds new fields that may be renamed old ones. Such an entity has objects, and an old field of the same kind
  /// that neither the schema nor a mapping beside it names.
  ///
  /// - Parameters:
  ///   - extended: The layout with the new fields.
  ///   - binding: The binding of the schema that added them.
  func undeclaredRenames(in extended: StoreLayout, _ binding: Binding) -> [String] {
    var notes: [String] = []
    for (old, new) in zip(entities, extended.entities)
    where new.fields.count > old.fields.count && old.counts.objects > 0 {
      guard let entity = binding.entity(ofNumber: old.number) else { continue }
      let mapped = binding.entities[entity].schemaFields
      let elsewhere = binding.schema.entities[entity].fieldsElsewhere
      for field in new.fields[old.fields.count...] {
        let unnamed = old.fields.indices.filter {
          mapped[$0] < 0 && old.fields[$0].kind == field.kind
            && !elsewhere.contains(ByteName(old.fields[$0].name))
        }
        guard !unnamed.isEmpty else { continue }
        let names = unnamed.map { old.fields[$0].name }
        let shown = suggestion(for: field.name, among: names).map { [$0] } ?? Array(names.prefix(3))
        notes.append(
          "\(escaped(old.name)) has a new field \(quoted(field.name)), and the mapping no longer has "
            + "\(list(shown.map { quoted($0) }, conjunction: "or")), which is still stored; "
            + "if this is a rename, declare the old name with `was` before the first import with the new one")
      }
    }
    return notes
  }
}
