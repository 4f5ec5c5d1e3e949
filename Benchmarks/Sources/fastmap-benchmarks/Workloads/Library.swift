/// Books with one author and three tags each, to read with their authors and tags.
///
///     {"id":1,"title":"…","pages":317,"author":{"id":23,"name":"…"},"tags":[{"id":4,"name":"…"},…]}
struct Library {
  let bookCount: Int
  let authorCount: Int
  let tagCount: Int
  private(set) var json: [UInt8] = []
  /// By the number of a book.
  private(set) var titles: [String] = []
  private(set) var pages: [Int] = []
  private(set) var authors: [Int] = []
  private(set) var tags: [[Int]] = []

  init(books: Int) {
    bookCount = books
    authorCount = max(1, books / 10)
    tagCount = max(3, min(1000, books / 10))
    var numbers = SeededNumbers(seed: 19)
    var text = JSONText(capacity: books * 200)
    text.append("[")
    for id in 1...books {
      if id > 1 { text.append(",") }
      let first = numbers.next(below: tagCount)
      titles.append("Title \(String(numbers.next(), radix: 16))")
      pages.append(100 + numbers.next(below: 900))
      authors.append(1 + numbers.next(below: authorCount))
      let count = tagCount
      tags.append((0..<3).map { 1 + (first + $0 * 7) % count })
      text.append("{\"id\":")
      text.append(id)
      text.append(",\"title\":\"")
      for byte in titles[id - 1].utf8 { text.append(byte) }
      text.append("\",\"pages\":")
      text.append(pages[id - 1])
      text.append(",\"author\":{\"id\":")
      text.append(authors[id - 1])
      text.append(",\"name\":\"Author ")
      text.append(authors[id - 1])
      text.append("\"},\"tags\":[")
      for (place, tag) in tags[id - 1].enumerated() {
        if place > 0 { text.append(",") }
        text.append("{\"id\":")
        text.append(tag)
        text.append(",\"name\":\"tag ")
        text.append(tag)
        text.append("\"}")
      }
      text.append("]}")
    }
    text.append("]")
    json = text.bytes
  }

  /// Keys of books in random order, without repeats.
  func keys(_ count: Int) -> [Int] {
    var keys = Array(1...bookCount)
    var numbers = SeededNumbers(seed: 91)
    numbers.shuffle(&keys)
    return Array(keys.prefix(count))
  }
}
