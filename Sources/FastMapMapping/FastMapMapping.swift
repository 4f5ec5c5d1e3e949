// How objects look in JSON: properties of classes, mappings, and the plans that they are compiled to.
// No query and no import is known here, and no store is asked.
@_exported public import FastMapJSON
