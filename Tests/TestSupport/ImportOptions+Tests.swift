package import FastMapCore

extension ImportOptions {
  package static var skipping: ImportOptions {
    var options = ImportOptions()
    options.faults = .skip
    return options
  }

  package static var dry: ImportOptions {
    var options = ImportOptions()
    options.isDryRun = true
    return options
  }

  package static var ndjson: ImportOptions {
    var options = ImportOptions()
    options.format = .ndjson
    return options
  }

  package static func committing(every interval: Int) -> ImportOptions {
    var options = ImportOptions()
    options.commitInterval = interval
    return options
  }
}
