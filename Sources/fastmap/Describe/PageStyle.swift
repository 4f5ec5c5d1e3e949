import FastMapCore

/// The style of a page, for light and dark screens of any width, and for paper.
enum PageStyle {
  static let css = """
    :root {
      --back: #fdfdfc; --card: #fff; --text: #1d2125; --faint: #667079; --rule: #e2e5e8; --accent: #1f6feb;
      --bar: #8db8f5; --box: #eef4fd;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #14171a; --card: #1b1f23; --text: #e3e6e9; --faint: #98a2ab; --rule: #30363c; --accent: #6ea8ff;
        --bar: #2f5d9e; --box: #1d2a3d;
      }
    }
    * { box-sizing: border-box; }
    body {
      margin: 0; background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif;
      overflow-wrap: break-word;
    }
    main { max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
    h1 { font-size: 1.6rem; line-height: 1.2; margin: 0; }
    h3 { font-size: .95rem; margin: 1rem 0 0; }
    h2 { font-size: 1.15rem; margin: 0 0 .25rem; }
    a { color: var(--accent); text-decoration: none; }
    a:hover { text-decoration: underline; }
    code, pre { font: .88em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; unicode-bidi: isolate; }
    .facts { color: var(--faint); margin: .25rem 0 1rem; }
    figure { margin: 1.5rem 0; }
    figcaption { color: var(--faint); font-size: .85rem; margin-top: .5rem; }
    .wide { overflow-x: auto; }
    figure .wide { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }
    svg { display: block; margin: 0 auto; font: 13px system-ui, sans-serif; }
    svg .box { fill: var(--box); stroke: var(--accent); stroke-width: 1.2; }
    svg .line { fill: none; stroke: var(--faint); stroke-width: 1.3; }
    svg .owned { stroke-dasharray: 5 4; }
    svg marker path { fill: var(--faint); }
    svg text { fill: var(--text); text-anchor: middle; }
    svg .name { font-weight: 600; font-size: 14px; }
    svg .note { fill: var(--faint); font-size: 11px; }
    svg .label { font-size: 12px; }
    svg .clear { stroke: var(--card); stroke-width: 9px; stroke-linejoin: round; }
    .scrolls { color: var(--accent); font-size: .85rem; margin: .5rem 0 0; }
    svg .start { text-anchor: start; }
    table { border-collapse: collapse; width: 100%; }
    td, th { text-align: left; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--rule); vertical-align: top; }
    th { color: var(--faint); font-weight: 500; font-size: .85rem; }
    td:first-child { width: 30%; }
    .note, .values { color: var(--faint); font-size: .85rem; }
    .values { min-width: 8rem; width: 48%; }
    .sizes td:nth-child(2), .sizes td:nth-child(3), .sizes th:nth-child(2), .sizes th:nth-child(3) {
      text-align: right; white-space: nowrap; width: 1%;
    }
    .sizes .bar { min-width: 6rem; vertical-align: middle; padding-right: 0; }
    .bar span { display: block; height: .7rem; background: var(--bar); border-radius: 3px; min-width: 2px; }
    section {
      background: var(--card); border: 1px solid var(--rule); border-radius: 10px; padding: 1rem 1.25rem; margin: 1.25rem 0;
    }
    section:target { border-color: var(--accent); }
    section tr:last-child td { border-bottom: 0; }
    details { margin-top: .75rem; }
    summary { cursor: pointer; color: var(--accent); }
    pre {
      background: var(--back); border: 1px solid var(--rule); border-radius: 6px; padding: .6rem .75rem; margin: .5rem 0;
      white-space: pre-wrap; overflow-wrap: anywhere;
    }
    @media (max-width: 40rem) {
      main { padding: 1rem .6rem 3rem; }
      section { padding: .75rem; }
      td, th { padding-right: .5rem; }
    }
    @media print { section { break-inside: avoid; } }
    """

  /// A picture is as large as the screen allows, but at least three quarters of its size. A smaller screen scrolls, and says so.
  static func css(ofPicture width: Double) -> String {
    let (most, least) = (fixed(width, digits: 0), fixed(width * 0.75, digits: 0))
    // A page is at most 980 pixels wide within its margins.
    let enough = width * 0.75 > 980 ? "99999" : fixed(width * 0.75 + 40, digits: 0)
    return "svg { width: 100%; height: auto; max-width: \(most)px; min-width: \(least)px; }\n"
      + "@media (min-width: \(enough)px) { .scrolls { display: none; } }"
  }
}
