internal import FastMapCore

/// The instances that a write has lent to a delegate or a policy. That code may change them, and everything that they
/// refer to.
final class LentInstances {
  private struct Lent {
    let instance: AnyObject
    let access: AttributeAccess
    /// The key before it was lent.
    let key: Value
  }

  /// Instances that existed before the write.
  private var lent: [ObjectIdentifier: Lent] = [:]
  private lazy var scratch = Scratch()
  private(set) var isEmpty = true

  /// Records the key of an instance when it is lent for the first time.
  func note(_ instance: AnyObject, _ access: AttributeAccess?, isNew: Bool) {
    isEmpty = false
    guard let access, !isNew, lent[ObjectIdentifier(instance)] == nil else { return }
    let key = scratch.read(access, instance).value ?? .null
    lent[ObjectIdentifier(instance)] = Lent(instance: instance, access: access, key: key)
  }

  /// Restores the keys that were changed.
  func giveBackKeys() {
    for lent in lent.values {
      let key = scratch.read(lent.access, lent.instance).value ?? .null
      if !key.isIdentical(to: lent.key) { scratch.set(lent.key, lent.access, lent.instance) }
    }
  }
}
