"use strict";
// One small chart per loss.
cloth.each("curve", (element, run) => {
  const curve = run.curves[+element.dataset.curve];
  const raw = curve.values.map((value, i) => [curve.at[i], value]);
  // Moving average over neighbours on both sides, fewer towards the ends.
  const reach = Math.round(raw.length / 30);
  const smooth = raw.map(([at], i) => {
    const near = Math.min(reach, i, raw.length - 1 - i);
    const part = curve.values.slice(i - near, i + near + 1);
    return [at, part.reduce((a, b) => a + b, 0) / part.length];
  });
  const few = raw.length < 25;
  const text = (value) => Number(value.toPrecision(4)).toString();
  const entry = cloth.chart(element, (c) => ({
    grid: { left: 44, right: 8, top: 8, bottom: 22 },
    xAxis: cloth.axis(c, { type: "value", min: 0, max: curve.at[curve.at.length - 1], splitNumber: 2, splitLine: { show: false }, axisLine: { show: true, onZero: false, lineStyle: { color: c.line } } }),
    yAxis: cloth.axis(c, { type: "value", scale: true, splitNumber: 2, axisLabel: { color: c.dim, fontSize: 12, formatter: text } }),
    series: [
      { type: "line", data: raw, symbol: few ? "circle" : "none", symbolSize: 4, lineStyle: { color: few ? c.accent : c.faint, width: few ? 2 : 1 }, itemStyle: { color: c.accent }, z: 1 },
      ...(few ? [] : [{ type: "line", data: smooth, symbol: "none", silent: true, lineStyle: { color: c.accent, width: 2 }, z: 2 }]),
    ],
    tooltip: cloth.tooltip(c, {
      trigger: "axis", axisPointer: { type: "line", lineStyle: { color: c.dim, type: "solid", width: 1 } },
      formatter: ([{ dataIndex: i }]) => cloth.tip([`${curve.name} ${text(curve.values[i])}`, `iteration ${cloth.count(curve.at[i])}`]),
    }),
  }));
  entry.chart.group = "curves-" + element.closest("[data-run]").dataset.run;
  echarts.connect(entry.chart.group);
  cloth.draw(entry);
});
