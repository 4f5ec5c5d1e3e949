// Instances that are read in part, edited, and saved.
// Nothing but the tool and users' code knows it.
@_exported public import FastMapImport
