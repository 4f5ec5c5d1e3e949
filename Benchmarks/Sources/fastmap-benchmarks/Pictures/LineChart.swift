import Foundation

/// One line with a logarithmic scale of sizes.
struct LineChart {
  struct Point {
    var size: Int
    var value: Double
    var figure: String
  }

  struct Panel {
    var title: String
    var points: [Point]
    /// A value that should not be exceeded, and its text.
    var limit: (value: Double, words: String)?
  }

  var title: String
  var remark: String
  var panels: [Panel]

  var svg: String {
    var picture = SVG(width: 720, height: 270)
    picture.text(title, x: 18, y: 28, style: "title")
    picture.text(remark, x: 18, y: 47, style: "faint")
    for (place, panel) in panels.enumerated() {
      let left = 40 + Double(place) * 345
      let (top, bottom, width) = (100.0, 225.0, 270.0)
      let most = max(panel.points.map(\.value).max() ?? 1, panel.limit?.value ?? 0) * 1.1
      func y(_ value: Double) -> Double { bottom - value / most * (bottom - top) }
      func x(_ index: Int) -> Double { left + width * Double(index) / Double(max(panel.points.count - 1, 1)) }
      picture.text(panel.title, x: left - 22, y: 78, style: "faint")
      picture.line([(left - 10, bottom), (left + width + 20, bottom)], style: "axis")
      if let limit = panel.limit {
        picture.line([(left - 10, y(limit.value)), (left + width + 20, y(limit.value))], style: "l2")
        picture.text(limit.words, x: left + width + 20, y: y(limit.value) - 5, style: "faint", anchor: .end)
      }
      picture.line(panel.points.enumerated().map { (x($0.offset), y($0.element.value)) }, style: "l0")
      for (index, point) in panel.points.enumerated() {
        picture.dot(x: x(index), y: y(point.value), style: "own")
        picture.text(point.figure, x: x(index), y: y(point.value) - 9, style: "strong", anchor: .middle)
        picture.text(
          Figures.grouped(point.size), x: x(index), y: bottom + 18, style: "faint", anchor: .middle)
      }
    }
    return picture.document(title: title)
  }
}
