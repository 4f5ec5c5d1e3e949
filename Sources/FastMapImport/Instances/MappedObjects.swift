/// The root objects of a payload as instances of a class, in payload order.
///
///     let people = try Person.mapping.objects(from: bytes)
///     for person in people { print(person.name ?? "?") }
///
/// Every instance that was made is held, so that `weak` properties stay set as long as it lives. Rings of strong references
/// are the caller's to break.
public struct MappedObjects<Object: AnyObject>: RandomAccessCollection {
  /// The root objects. May contain duplicates.
  package let objects: [Object]
  /// The errors of the objects that were left out, in payload order, at most ``ImportOptions/maxErrors``. Empty unless
  /// ``ImportOptions/faults`` is `skip`.
  public let errors: [MappingError]
  /// The number of all errors.
  public let errorCount: Int
  /// The fields that no object of the payload had, not even as null, such as `"Country.region"`: see
  /// ``ImportReport/unseen``.
  public let unseen: [String]
  private let held: HeldInstances

  init(_ done: InstanceImport) {
    objects = done.pass.roots.compactMap { $0 as? Object }
    errors = done.errors
    errorCount = done.errorCount
    unseen = done.unseen
    held = HeldInstances(done.pass.tables.map(\.instances))
  }

  public var startIndex: Int { 0 }
  public var endIndex: Int { objects.count }
  public subscript(index: Int) -> Object { objects[index] }
}

extension MappedObjects: Sendable where Object: Sendable {}

/// Instances of any classes, which are retained and never used.
// @unchecked: whoever releases the last one may do so on any thread, as with every object.
private final class HeldInstances: @unchecked Sendable {
  private let instances: [[AnyObject]]

  init(_ instances: [[AnyObject]]) { self.instances = instances }
}
