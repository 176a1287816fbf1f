"use strict";
// Shared by all charts: data, colours, and redrawing when colours or widths change.
// Untrusted text is put on the page by textContent or on a canvas, never as HTML.
const cloth = (() => {
  const runs = new Map();
  for (const script of document.querySelectorAll("script.run-data")) {
    runs.set(script.dataset.run, JSON.parse(script.textContent));
  }

  const bytes = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const words = (base64) => new Uint16Array(bytes(base64).buffer);
  const longs = (base64) => new Uint32Array(bytes(base64).buffer);

  // Petroff's ten colours (2021), distinguishable with any colour vision. More than ten classes share them and differ by name.
  const TEN = ["#3f90da", "#ffa90e", "#bd1f01", "#94a4a2", "#832db6", "#a96b59", "#e76300", "#b9ac70", "#717581", "#92dadd"];
  const DARK = { "#832db6": "#b06be0", "#bd1f01": "#f0523a", "#717581": "#8d93a3" };
  const isDark = () => !document.documentElement.classList.contains("print") && matchMedia("(prefers-color-scheme: dark)").matches;
  const classColour = (index) => {
    const colour = TEN[index % TEN.length];
    return isDark() ? DARK[colour] || colour : colour;
  };
  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue("--" + name).trim();
    const names = ["bg", "raised", "line", "text", "dim", "faint", "source", "target", "accent", "heat-0", "heat-1", "heat-2", "heat-3"];
    return Object.fromEntries(names.map((name) => [name.replace("-", ""), get(name)]));
  };

  const FONT = getComputedStyle(document.body).fontFamily;
  const charts = [];
  // Registers a chart: `options` returns the ECharts options for the current colours.
  const chart = (element, options) => {
    const entry = { element, options, chart: echarts.init(element, null, { renderer: "canvas", devicePixelRatio: Math.max(2, devicePixelRatio) }) };
    charts.push(entry);
    return entry;
  };
  const draw = (entry) => {
    const base = { animation: false, textStyle: { fontFamily: FONT }, aria: { enabled: false } };
    entry.chart.setOption({ ...base, ...entry.options(colours()) }, { notMerge: true });
    // Draw immediately: a page that is being printed has no next frame.
    entry.chart.getZr().flush();
  };
  const drawAll = () => charts.forEach(draw);

  // A tooltip of lines; the first is bold.
  const tip = (lines) => {
    const box = document.createElement("div");
    box.className = "tip";
    lines.forEach((line, i) => {
      const row = document.createElement(i === 0 ? "b" : "div");
      row.textContent = line;
      box.append(row);
    });
    return box;
  };
  const tooltip = (c, more) => ({
    confine: true, backgroundColor: c.bg, borderColor: c.line, borderWidth: 1, padding: [7, 10],
    textStyle: { color: c.text, fontSize: 13 }, extraCssText: "box-shadow: 0 2px 10px rgb(0 0 0 / .18); white-space: normal;", ...more,
  });
  const axis = (c, more) => ({
    axisLine: { show: false }, axisTick: { show: false }, axisLabel: { color: c.dim, fontSize: 12 },
    splitLine: { lineStyle: { color: c.line } }, nameTextStyle: { color: c.dim, fontSize: 12 }, ...more,
  });

  const say = (text) => { document.getElementById("live").textContent = text; };
  const count = (n) => n.toLocaleString("en-US");
  const percent = (share) => (100 * share).toFixed(1) + " %";
  const cut = (text, length) => ([...text].length > length ? [...text].slice(0, length - 1).join("") + "…" : text);

  const each = (kind, make) => {
    for (const element of document.querySelectorAll(`[data-chart="${kind}"]`)) {
      make(element, runs.get(element.closest("[data-run]").dataset.run));
    }
  };

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { drawAll(); document.dispatchEvent(new Event("colours")); });
  // Print on white, with each chart as one image: browsers print canvases of many layers badly.
  addEventListener("beforeprint", () => {
    document.documentElement.classList.add("print");
    drawAll();
    for (const { chart, element } of charts) {
      const picture = chart.renderToCanvas({ pixelRatio: 2, backgroundColor: "#fff" });
      picture.removeAttribute("style");
      picture.className = "paper";
      element.after(picture);
    }
  });
  addEventListener("afterprint", () => {
    document.documentElement.classList.remove("print");
    document.querySelectorAll(".paper").forEach((picture) => picture.remove());
    drawAll();
  });
  new ResizeObserver(() => {
    if (!document.documentElement.classList.contains("print")) charts.forEach(({ chart, element }) => {
      if (element.clientWidth) chart.resize();
    });
  }).observe(document.querySelector("main"));

  return { runs, bytes, words, longs, classColour, colours, chart, draw, drawAll, charts, tip, tooltip, axis, say, count, percent, cut, each };
})();
