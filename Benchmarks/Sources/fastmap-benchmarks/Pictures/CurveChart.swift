import Foundation

/// Lines with logarithmic scales. A line as steep as the diagonal is linear growth.
struct CurveChart {
  struct Line {
    var words: String
    /// By size.
    var values: [Int: Double]
  }

  struct Panel {
    var title: String
    var lines: [Line]
    /// The text for a power of ten of the scale.
    var unit: (Double) -> String
  }

  var title: String
  var remark: String
  var panels: [Panel]

  private static let styles = 5
  private static let (top, bottom, width) = (102.0, 300.0, 285.0)

  var svg: String {
    let legend = Double(panels.map(\.lines.count).max() ?? 0) * 18
    var picture = SVG(width: 760, height: Int(Self.bottom + 44 + legend))
    picture.text(title, x: 18, y: 28, style: "title")
    picture.text(remark, x: 18, y: 47, style: "faint")
    for (place, panel) in panels.enumerated() { draw(panel, at: 70 + Double(place) * 370, in: &picture) }
    return picture.document(title: title)
  }

  private func draw(_ panel: Panel, at left: Double, in picture: inout SVG) {
    let sizes = Set(panel.lines.flatMap(\.values.keys)).sorted()
    let values = panel.lines.flatMap(\.values.values).filter { $0 > 0 }
    guard let least = values.min(), let most = values.max(), sizes.count > 1 else { return }
    let (low, high) = (Foundation.log10(least).rounded(.down), Foundation.log10(most).rounded(.up))
    func x(_ size: Int) -> Double {
      left + Self.width * Double(sizes.firstIndex(of: size) ?? 0) / Double(sizes.count - 1)
    }
    func y(_ value: Double) -> Double {
      Self.bottom - (Foundation.log10(value) - low) / max(high - low, 1) * (Self.bottom - Self.top)
    }
    picture.text(panel.title, x: left - 52, y: 82, style: "text")
    for power in stride(from: low, through: high, by: 1) {
      let value = pow(10, power)
      picture.line([(left, y(value)), (left + Self.width, y(value))], style: "axis")
      picture.text(panel.unit(value), x: left - 8, y: y(value) + 4, style: "faint", anchor: .end)
    }
    for size in sizes {
      picture.text(
        Figures.grouped(size), x: x(size), y: Self.bottom + 18, style: "faint", anchor: .middle)
    }
    for (index, line) in panel.lines.enumerated() {
      let points = sizes.compactMap { size in line.values[size].map { (x: x(size), y: y($0)) } }
      picture.line(points, style: "l\(index % Self.styles)")
      for point in points { picture.dot(x: point.x, y: point.y, style: "c\(index % Self.styles)") }
      let place = Self.bottom + 44 + Double(index) * 18
      picture.dot(x: left, y: place - 4, style: "c\(index % Self.styles)")
      picture.text(line.words, x: left + 10, y: place, style: "text")
    }
  }
}
