// For authors of stores: the protocols, rows, the schema, bound filters and row tests.
// No JSON, no mapping and no store is known here.
