// Users import this module: it exports the others of the core, and has the articles.
// The module has no code of its own.
@_exported public import FastMapCodable
@_exported public import FastMapContexts
@_exported public import FastMapMaintenance
