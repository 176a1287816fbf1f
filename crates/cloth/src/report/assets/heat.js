"use strict";
// Heat maps: the transport plan and the confusion matrix.
{
  const scale = (c, max) => ({ show: false, min: 0, max, inRange: { color: [c.heat0, c.heat1, c.heat2, c.heat3] } });
  const LONGEST = 14;

  cloth.each("plan", (element, run) => {
    if (!run.plan) return;
    const rows = cloth.longs(run.plan.rows), called = cloth.words(run.plan.called), shares = cloth.bytes(run.plan.shares);
    const m = run.classes.length;
    const cells = Array.from(shares, (share, i) => [i % m, Math.floor(i / m), share / 255]);
    // The middle row of each class is labelled with its name.
    const names = new Array(rows.length).fill("");
    for (let from = 0; from < rows.length; ) {
      let to = from;
      while (to < rows.length && called[to] === called[from]) to++;
      names[(from + to - 1) >> 1] = run.classes[called[from]];
      from = to;
    }
    // Names that would overlap are left out.
    const room = 13 / (element.clientHeight / rows.length);
    let last = -Infinity;
    const visible = names.map((name, i) => {
      if (!name || i - last < room) return false;
      last = i;
      return true;
    });
    const wide = Math.min(LONGEST, Math.max(...run.classes.map((name) => [...name].length))) * 7 + 16;
    const slanted = m * wide > element.clientWidth * 0.8;
    cloth.draw(cloth.chart(element, (c) => ({
      grid: { left: wide, right: 2, top: 2, bottom: slanted ? Math.min(100, wide) : 26 },
      xAxis: cloth.axis(c, { type: "category", data: run.classes, splitLine: { show: false }, axisLabel: { color: c.dim, fontSize: 12, rotate: slanted ? 90 : 0, hideOverlap: true, formatter: (name) => cloth.cut(name, LONGEST) } }),
      yAxis: cloth.axis(c, { type: "category", data: names.map((_, i) => i), inverse: true, splitLine: { show: false }, axisLabel: { color: c.dim, fontSize: 12, interval: (i) => visible[i], formatter: (i) => cloth.cut(names[i], LONGEST) } }),
      visualMap: scale(c, 1),
      series: [{ type: "heatmap", data: cells, progressive: 0, emphasis: { disabled: true } }],
      tooltip: cloth.tooltip(c, {
        formatter: ({ value: [x, y, share] }) => cloth.tip([`${cloth.percent(share)} to ${run.classes[x]}`, `target row ${cloth.count(rows[y])}, predicted as ${run.classes[called[y]]}`]),
      }),
    })));
  });

  cloth.each("confusion", (element, run) => {
    if (!run.confusion) return;
    const m = run.classes.length;
    const totals = run.confusion.map((row) => row.reduce((a, b) => a + b, 0));
    const shares = run.confusion.flatMap((row, y) => row.map((n, x) => [x, y, totals[y] ? n / totals[y] : 0]));
    const wide = Math.min(LONGEST, Math.max(...run.classes.map((name) => [...name].length))) * 7 + 14;
    const numbers = m <= 12;
    cloth.draw(cloth.chart(element, (c) => ({
      grid: { left: wide, right: 10, top: 10, bottom: m * wide > element.clientWidth * 0.8 ? Math.min(100, wide) : 28 },
      xAxis: cloth.axis(c, { type: "category", data: run.classes, splitLine: { show: false }, axisLabel: { color: c.dim, fontSize: 12, rotate: m * wide > element.clientWidth * 0.8 ? 90 : 0, hideOverlap: true, formatter: (name) => cloth.cut(name, LONGEST) } }),
      yAxis: cloth.axis(c, { type: "category", data: run.classes, inverse: true, splitLine: { show: false }, axisLabel: { color: c.dim, fontSize: 12, hideOverlap: true, formatter: (name) => cloth.cut(name, LONGEST) } }),
      visualMap: scale(c, 1),
      series: [{
        type: "heatmap", progressive: 0, emphasis: { disabled: true }, itemStyle: { borderColor: c.bg, borderWidth: numbers ? 1 : 0 },
        // The number on a strong cell has the background colour.
        data: shares.map((value) => ({ value, label: { color: value[2] > 0.45 ? c.bg : c.text } })),
        label: { show: numbers, fontSize: 12, formatter: ({ value: [x, y] }) => run.confusion[y][x] || "" },
      }],
      tooltip: cloth.tooltip(c, {
        formatter: ({ value: [x, y, share] }) => cloth.tip([`${run.classes[y]} predicted as ${run.classes[x]}`, `${cloth.count(run.confusion[y][x])} rows, ${cloth.percent(share)} of the class`]),
      }),
    })));
  });
}
