/// Horizontal bars in groups, each group with a scale of its own.
struct BarChart {
  struct Bar {
    var words: String
    var value: Double
    /// The value as text.
    var figure: String
    var isOwn: Bool
  }

  struct Group {
    var title: String
    var bars: [Bar]
    /// The value to beat: a line through the bars of the group.
    var mark: Double?
  }

  var title: String
  var remark: String
  var groups: [Group]

  private static let wordsWidth = 270.0
  private static let barsWidth = 330.0
  private static let rowHeight = 22.0

  var svg: String {
    let rows = groups.reduce(0) { $0 + $1.bars.count }
    let height = 66 + Double(rows) * Self.rowHeight + Double(groups.count) * 32
    var picture = SVG(width: 720, height: Int(height))
    picture.text(title, x: 18, y: 28, style: "title")
    picture.text(remark, x: 18, y: 47, style: "faint")
    var y = 60.0
    for group in groups {
      y += 22
      picture.text(group.title, x: 18, y: y, style: "faint")
      y += 8
      let largest = group.bars.map(\.value).max() ?? 1
      for bar in group.bars {
        let style = bar.isOwn ? "strong" : "text"
        picture.text(bar.words, x: Self.wordsWidth + 8, y: y + 15, style: style, anchor: .end)
        let width = bar.value / largest * Self.barsWidth
        picture.bar(
          x: Self.wordsWidth + 16, y: y + 4, width: width, height: Self.rowHeight - 7,
          style: bar.isOwn ? "own" : "other")
        picture.text(bar.figure, x: Self.wordsWidth + 22 + width, y: y + 15, style: style)
        y += Self.rowHeight
      }
      if let mark = group.mark {
        let x = Self.wordsWidth + 16 + mark / largest * Self.barsWidth
        let top = y - Double(group.bars.count) * Self.rowHeight
        picture.line([(x, top), (x, y)], style: "mark")
      }
      y += 2
    }
    return picture.document(title: title)
  }
}
