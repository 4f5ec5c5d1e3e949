import FastMapCore
import FastMapSQLite

// Imports the books of a catalogue into a database, and prints the report. In the folder of this package:
//
//     swift run import-catalogue ../catalogue/catalogue.json shop.sqlite
//     sqlite3 shop.sqlite .schema
//
// A second time nothing is written; ../catalogue/catalogue-later.json changes a few things.

let author = Mapping("Author", primaryKey: "id") {
  Attribute("id", .integer)
  Attribute("name", .string)
}

let publisher = Mapping("Publisher", primaryKey: "id") {
  Attribute("id", .string)
  Attribute("name", .string)
}

let review = Mapping("Review", primaryKey: "id") {
  Attribute("id", .integer)
  Attribute("rating", .integer)
  Attribute("text", .string)
  Attribute("posted", .date(.epoch))
}

let edition = Mapping("Edition") {
  Attribute("format", .string)
  Attribute("price", .number)
  Attribute("digest", .data)
}

let book = Mapping("Book", rootPath: "catalogue.books", primaryKey: "id") {
  Attribute("id", .integer)
  Attribute("title", .string)
  Attribute("in_print", .boolean)
  Attribute("extra", .json)
  ToOne("publisher", publisher)
  ToMany("authors", author)
  ToMany("editions", edition)
  ToMany("reviews", review, policy: .replace)
}

let arguments = CommandLine.arguments
if arguments.count == 3 {
  let store = try SQLiteStore(at: arguments[2])
  let report = try Mapper(store).importJSON(.file(arguments[1]), as: book)
  for row in report.entities { print(row.entity, row.counts) }
} else {
  print("usage: import-catalogue <payload> <database>")
}
