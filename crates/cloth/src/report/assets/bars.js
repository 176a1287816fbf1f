"use strict";
// Histograms of confidence, and calibration.
cloth.each("confidence", (element, run) => {
  if (!run.confidence) return;
  const { source, target } = run.confidence;
  const bins = target.length;
  const range = (i) => `${(100 * i) / bins}–${(100 * (i + 1)) / bins} %`;
  cloth.draw(cloth.chart(element, (c) => ({
    grid: { left: 48, right: 8, top: 12, bottom: 44 },
    xAxis: cloth.axis(c, { type: "category", data: target.map((_, i) => i), name: "confidence", nameLocation: "middle", nameGap: 28, splitLine: { show: false }, axisLabel: { color: c.dim, fontSize: 12, interval: (i) => (element.clientWidth > 500 ? i % 4 === 3 || i === 0 : i % 8 === 3), formatter: (i) => range(+i) } }),
    yAxis: cloth.axis(c, { type: "value", splitNumber: 3, axisLabel: { color: c.dim, fontSize: 12, formatter: "{value} %" } }),
    series: [
      ...(source ? [{ type: "bar", name: "source", data: source, itemStyle: { color: c.source, borderRadius: [2, 2, 0, 0] }, barCategoryGap: "22%", barGap: "6%" }] : []),
      { type: "bar", name: "target", data: target, itemStyle: { color: c.target, borderRadius: [2, 2, 0, 0] }, barCategoryGap: "22%", barGap: "6%" },
    ],
    tooltip: cloth.tooltip(c, {
      trigger: "axis", axisPointer: { type: "shadow" },
      formatter: ([{ dataIndex: i }]) => cloth.tip([range(i), `${target[i].toFixed(1)} % of target rows`, ...(source ? [`${source[i].toFixed(1)} % of source validation rows`] : [])]),
    }),
  })));
});

cloth.each("calibration", (element, run) => {
  if (!run.calibration) return;
  const most = Math.max(...run.calibration.map(([, , n]) => n));
  cloth.draw(cloth.chart(element, (c) => {
    const axis = (name, gap) => cloth.axis(c, { type: "value", min: 0, max: 1, interval: 0.25, name, nameLocation: "middle", nameGap: gap, axisLabel: { color: c.dim, fontSize: 12, formatter: (v) => 100 * v + " %" } });
    return {
      grid: { left: 62, right: 18, top: 16, bottom: 48 },
      xAxis: axis("confidence", 28), yAxis: axis("accuracy", 44),
      series: [
        { type: "line", data: [[0, 0], [1, 1]], symbol: "none", silent: true, lineStyle: { color: c.dim, type: "dashed", width: 1 }, tooltip: { show: false } },
        { type: "line", data: run.calibration, symbol: "circle", symbolSize: ([, , n]) => 5 + 11 * Math.sqrt(n / most), lineStyle: { color: c.target, width: 2 }, itemStyle: { color: c.target } },
      ],
      tooltip: cloth.tooltip(c, {
        trigger: "item",
        formatter: ({ value: [sure, right, n] }) => cloth.tip([`accuracy ${cloth.percent(right)}`, `mean confidence ${cloth.percent(sure)}`, `${cloth.count(n)} rows`]),
      }),
    };
  }));
});
