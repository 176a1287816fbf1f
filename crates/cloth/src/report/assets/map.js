"use strict";
// t-SNE maps: two per run, with shared controls.
for (const [id, run] of cloth.runs) {
  if (!run.map) continue;
  const article = document.getElementById("run-" + id);
  const controls = article.querySelector("[data-map-controls]");
  const chips = article.querySelector("[data-chips]");
  const map = run.map;
  const points = {
    rows: cloth.longs(map.rows), classOf: cloth.words(map.class_of), confidence: cloth.bytes(map.confidence),
    before: cloth.words(map.before), after: cloth.words(map.after),
  };
  const n = points.rows.length;
  const state = { colour: "class", shown: { source: true, target: true }, on: run.classes.map(() => true) };
  // Rows by domain and class.
  const groups = ["source", "target"].map((domain, d) => run.classes.map((name, m) => ({ domain, name, m, rows: [] })));
  for (let i = 0; i < n; i++) groups[i < map.n_source ? 0 : 1][points.classOf[i]].rows.push(i);
  const size = n > 8000 ? 3 : n > 2500 ? 4.5 : 6;

  const centre = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  const labels = (which) => run.classes.map((name, m) => {
    const rows = [0, 1].flatMap((d) => (state.shown[["source", "target"][d]] ? groups[d][m].rows : []));
    if (!rows.length || !state.on[m]) return null;
    const at = (axis) => centre(rows.map((i) => points[which][2 * i + axis]));
    return { value: [at(0), at(1)], label: { formatter: () => cloth.cut(name, 18) } };
  }).filter(Boolean);

  // Visible part of each axis in percent: changed by dragging or by the buttons, and kept when points change.
  const sight = { before: [[0, 100], [0, 100]], after: [[0, 100], [0, 100]] };

  const options = (which) => (c) => {
    const series = groups.flat().filter((g) => g.rows.length && state.shown[g.domain] && state.on[g.m]).map((g) => {
      const colour = state.colour === "class" ? cloth.classColour(g.m) : c[g.domain];
      const hollow = g.domain === "source";
      return {
        type: "scatter", progressive: 0, symbol: "circle", symbolSize: hollow ? size - 0.5 : size + 0.5, large: g.rows.length > 2000, largeThreshold: 2000,
        itemStyle: hollow ? { color: c.bg, borderColor: colour, borderWidth: 1.2, opacity: 0.7 } : { color: colour, opacity: 0.8 }, z: hollow ? 2 : 3,
        data: g.rows.map((i) => [points[which][2 * i], points[which][2 * i + 1], i]),
      };
    });
    series.push({
      type: "scatter", symbolSize: 1, silent: true, z: 9, data: labels(which), itemStyle: { color: "transparent" }, tooltip: { show: false },
      label: { show: true, position: "inside", color: c.text, fontSize: 14, fontWeight: 700, textBorderColor: c.bg, textBorderWidth: 4 },
      labelLayout: { hideOverlap: true },
    });
    const pad = 2500;
    const axis = { type: "value", show: false, min: -pad, max: 65535 + pad };
    const inside = (axis, i) => ({
      type: "inside", [axis]: 0, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseWheel: false, preventDefaultMouseMove: false,
      start: sight[which][i][0], end: sight[which][i][1],
    });
    return {
      grid: { left: 0, right: 0, top: 0, bottom: 0 }, xAxis: axis, yAxis: axis, series,
      dataZoom: [inside("xAxisIndex", 0), inside("yAxisIndex", 1)],
      tooltip: cloth.tooltip(c, {
        trigger: "item",
        formatter: ({ value }) => {
          const i = value[2];
          const source = i < map.n_source;
          const sure = cloth.percent(points.confidence[i] / 255);
          const name = run.classes[points.classOf[i]];
          return cloth.tip([name, `${source ? "source" : "target"} row ${cloth.count(points.rows[i])}`, source ? `label; confidence of C ${sure}` : `predicted; confidence ${sure}`]);
        },
      }),
    };
  };
  const entries = [...article.querySelectorAll('[data-chart="map"]')].map((element) => {
    const which = element.dataset.which;
    const entry = cloth.chart(element, options(which));
    entry.chart.on("datazoom", () => { sight[which] = entry.chart.getOption().dataZoom.map(({ start, end }) => [start, end]); });
    return entry;
  });
  const redraw = () => {
    chips.querySelectorAll("[data-class]").forEach((chip) => {
      const m = +chip.dataset.class;
      chip.setAttribute("aria-pressed", state.on[m]);
      chip.style.setProperty("--colour", state.colour === "class" ? cloth.classColour(m) : "var(--dim)");
    });
    const colours = { source: state.colour === "domain" ? "var(--source)" : "", target: state.colour === "domain" ? "var(--target)" : "" };
    controls.querySelectorAll(".key").forEach((key) => {
      const colour = colours[key.classList.contains("source") ? "source" : "target"];
      key.style.borderColor = colour;
      key.style.background = key.classList.contains("target") ? colour : "";
    });
    entries.forEach(cloth.draw);
  };

  controls.addEventListener("change", ({ target }) => {
    if (target.type === "radio") state.colour = target.value;
    else state.shown[target.value] = target.checked;
    redraw();
  });
  controls.addEventListener("click", ({ target }) => {
    const way = target.dataset.zoom;
    if (!way) return;
    for (const which of ["before", "after"]) {
      sight[which] = sight[which].map(([start, end]) => {
        if (way === "reset") return [0, 100];
        const half = Math.min(50, Math.max(2, ((end - start) / 2) * (way === "in" ? 0.7 : 1 / 0.7)));
        const middle = Math.min(100 - half, Math.max(half, (start + end) / 2));
        return [middle - half, middle + half];
      });
    }
    entries.forEach(cloth.draw);
  });
  chips.addEventListener("click", ({ target }) => {
    const chip = target.closest("button");
    if (!chip) return;
    if (chip.dataset.all) {
      state.on.fill(chip.dataset.all === "true");
      cloth.say(chip.dataset.all === "true" ? "All classes shown" : "All classes hidden");
    } else {
      const m = +chip.dataset.class;
      state.on[m] = !state.on[m];
      cloth.say(`${run.classes[m]} ${state.on[m] ? "shown" : "hidden"}`);
    }
    redraw();
  });
  document.addEventListener("colours", redraw);
  redraw();
}
