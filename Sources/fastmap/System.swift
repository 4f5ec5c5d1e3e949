import FastMapCore
import FastMapSystem

/// The system calls of the tool.
enum System {
  static let standardInput: Int32 = 0
  static let standardOutput: Int32 = 1
  static let standardError: Int32 = 2

  /// The arguments of the process, without the tool's name.
  ///
  /// - Throws: ``UsageError`` for an argument that is not UTF-8. A repaired string would be another name.
  static func words(_ arguments: UnsafeBufferPointer<UnsafePointer<CChar>?>) throws -> [String] {
    try arguments.dropFirst().map { word in
      guard let word else { return "" }
      guard let text = String(validatingCString: word) else {
        throw UsageError("expected words in UTF-8, found \(quoted(String(cString: word)))")
      }
      return text
    }
  }

  /// Keeps the numbers of closed standard files from the files that are opened later. Else a message could be written into a store.
  static func holdStandardFiles() {
    for descriptor in [standardInput, standardOutput, standardError]
    where fcntl(descriptor, F_GETFD) < 0 {
      // Opened the wrong way round: reading and writing fail, as with a closed file.
      _ = open("/dev/null", descriptor == standardInput ? O_WRONLY : O_RDONLY)
    }
  }

  /// Turns a closed pipe and a file size limit into errors of the write. Their signals would end the process silently.
  ///
  /// SIGQUIT and SIGABRT end the process, as SIGINT and SIGTERM do. Swift's runtime takes them for crashes, prints a backtrace, and
  /// goes on if another process has sent them. A signal that the caller ignores stays ignored.
  static func prepareSignals() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    for number in [SIGQUIT, SIGABRT] {
      let before = unsafeBitCast(signal(number, SIG_DFL), to: Int.self)
      if before == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
    }
  }

  static func pause(milliseconds: UInt32) { usleep(milliseconds * 1000) }

  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Whether the terminal shows colours, as the conventions of the variables `NO_COLOR` and `TERM` say.
  static var takesColour: Bool {
    func value(_ name: String) -> String { getenv(name).map { String(cString: $0) } ?? "" }
    return value("NO_COLOR").isEmpty && !["", "dumb"].contains(value("TERM"))
  }

  /// The columns of the terminal at standard output; nil if it does not say.
  static var terminalWidth: Int? {
    var size = winsize()
    guard ioctl(standardOutput, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all of `bytes`.
  ///
  /// - Returns: The system's error number, or 0.
  static func send(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
    bytes.withUnsafeBytes { buffer in
      var rest = UnsafeRawBufferPointer(buffer)
      while !rest.isEmpty {
        let count = write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }

  /// Puts an unnamed file with all of standard input in its place, so that it can be read twice.
  static func spoolStandardInput() throws {
    func failed() -> SystemError { SystemError(path: spillDirectory(), reason: systemMessage(errno)) }
    let file = SpillFile.unnamedFile()
    guard file >= 0 else { throw failed() }
    defer { close(file) }
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(standardInput, &room, room.count), count != 0 {
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw SystemError(path: "standard input", reason: systemMessage(errno)) }
      errno = send(Array(room[..<count]), to: file)
      if errno != 0 { throw failed() }
    }
    guard dup2(file, standardInput) == standardInput else { throw failed() }
    rewindStandardInput()
  }

  /// Nothing but a file is rewound.
  static func rewindStandardInput() { lseek(standardInput, 0, SEEK_SET) }

  static func isClosedPipe(_ code: Int32) -> Bool { code == EPIPE }

  static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

  // MARK: Programs

  /// The file of a program, in the first absolute entry of `PATH` that has it.
  static func program(named name: String) -> String? {
    let path = getenv("PATH").map { String(cString: $0) } ?? ""
    return path.split(separator: ":").lazy.filter { $0.hasPrefix("/") }.map { "\($0)/\(name)" }.first {
      file in
      var status = stat()
      return stat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(file, X_OK) == 0
    }
  }

  /// Starts a program with an empty environment.
  ///
  /// - Returns: The process, which the caller waits for; a pipe to its standard input, which does not block; and a pipe from its
  ///   standard output.
  static func start(_ words: [String]) throws -> (process: pid_t, input: Int32, output: Int32) {
    let (input, output) = (try pipe(), try pipe())
    defer {
      close(input.reading)
      close(output.writing)
    }
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input.reading, standardInput)
    posix_spawn_file_actions_adddup2(&actions, output.writing, standardOutput)
    posix_spawn_file_actions_addopen(&actions, standardError, "/dev/null", O_WRONLY, 0)
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    var process = pid_t()
    let code = posix_spawn(&process, words[0], &actions, nil, &arguments, &environment)
    guard code == 0 else {
      close(input.writing)
      close(output.reading)
      throw SystemError(path: words[0], reason: systemMessage(code))
    }
    _ = fcntl(input.writing, F_SETFL, O_NONBLOCK)
    return (process, input.writing, output.reading)
  }

  /// A pipe that other programs do not inherit.
  private static func pipe() throws -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [0, 0]
    guard FastMapSystem.pipe(&ends) == 0 else { throw SystemError(path: nil, reason: systemMessage(errno)) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// The exit status of a process; -1 if a signal has ended it.
  static func waitForEnd(of process: pid_t) -> Int32 {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
  }

  /// Ends a process whose result nobody needs.
  static func end(_ process: pid_t) {
    kill(process, SIGKILL)
    _ = waitForEnd(of: process)
  }

  // MARK: Files

  static func makeTemporaryDirectory() throws -> String {
    let parent = temporaryDirectory()
    var template = Array((parent + "/fastmap-XXXXXX").utf8CString)  // mkdtemp fills in the last six
    return try template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, let made = mkdtemp(start) else {
        throw SystemError(path: parent, reason: systemMessage(errno))
      }
      return String(cString: made)
    }
  }
}
