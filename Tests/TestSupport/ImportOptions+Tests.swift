package import FastMapCore
package import FastMapLMDB

#if Postgres
  package import FastMapPostgres
#endif

extension ImportOptions {
  package static var skipping: ImportOptions { ImportOptions(faults: .skip) }
  package static var dry: ImportOptions { ImportOptions(isDryRun: true) }
  package static var ndjson: ImportOptions { ImportOptions(format: .ndjson) }

  package static func committing(every interval: Int) -> ImportOptions {
    ImportOptions(commitInterval: interval)
  }
}

// The default options, with a change.

extension SerializerOptions {
  package static func with(_ change: (inout Self) -> Void) -> Self { changed(Self(), change) }
}

extension LMDBStore.Configuration {
  package static func with(_ change: (inout Self) -> Void) -> Self { changed(Self(), change) }
}

#if Postgres
  extension PostgresStore.Configuration {
    package static func with(_ change: (inout Self) -> Void) -> Self { changed(Self(), change) }
  }
#endif

private func changed<Options>(_ options: Options, _ change: (inout Options) -> Void) -> Options {
  var options = options
  change(&options)
  return options
}
