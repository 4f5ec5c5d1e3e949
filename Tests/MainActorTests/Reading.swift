import FastMapCore

/// Reads without `await` in an asynchronous test: instances of main-actor classes are made where the call comes from.
func reading<R>(_ store: any Store, _ body: (inout Snapshot) throws -> R) throws -> R { try store.read(body) }
