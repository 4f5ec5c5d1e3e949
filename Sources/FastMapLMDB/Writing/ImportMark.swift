import FastMapSystem

/// Marks an import in several transactions as running, as long as it lives. Other writers then leave its unlinked
/// objects alone.
///
/// The mark is a lock on one byte far beyond the end of `data.mdb`. The system releases it when the process ends. The
/// lock belongs to this descriptor (OFD), so closing another descriptor of the file does not release it. LMDB locks
/// nothing in this file.
///
/// C: `fcntl`
final class ImportMark {
  /// The import's number, unique among running imports.
  let number: UInt64
  private let descriptor: CInt

  private static let place: UInt64 = 1 << 62

  #if canImport(Darwin)
    private static let (setLock, getLock): (CInt, CInt) = (90, 92)  // F_OFD_SETLK, F_OFD_GETLK
  #else
    private static let (setLock, getLock): (CInt, CInt) = (37, 36)
  #endif

  /// Takes the first free number from `number` on. If the file system has no locks, others cannot see that the import
  /// is running.
  init(from number: UInt64, of environment: Environment) {
    descriptor = Self.open(environment)
    var number = number
    while Self.ask(Self.setLock, number, descriptor) == .held { number += 1 }
    self.number = number
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// Whether an import with this number is running, in this process or in another.
  static func isHeld(_ number: UInt64, in environment: Environment) -> Bool {
    let descriptor = open(environment)
    defer { if descriptor >= 0 { close(descriptor) } }
    return ask(getLock, number, descriptor) == .held
  }

  private enum Answer {
    case free, held
  }

  private static func open(_ environment: Environment) -> CInt {
    FastMapSystem.open(environment.path + "/data.mdb", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
  }

  private static func ask(_ command: CInt, _ number: UInt64, _ descriptor: CInt) -> Answer {
    var lock = flock(F_WRLCK, at: off_t(place + number % place))
    let result = withUnsafeMutablePointer(to: &lock) { fcntl(descriptor, command, $0) }
    if command == getLock { return result == 0 && lock.l_type != Int16(F_UNLCK) ? .held : .free }
    return result != 0 && (errno == EAGAIN || errno == EACCES) ? .held : .free
  }
}
