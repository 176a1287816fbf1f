"use strict";
// Benches: accuracy over seeds, over a setting, and a loss over training.
{
  const accuracyAxis = (c, more) => cloth.axis(c, { type: "value", scale: true, ...more });
  const percent = (value) => value.toFixed(1) + " %";
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

  cloth.each("boxes", (element, bench) => {
    const select = document.querySelector(`[data-groups="${element.closest("[data-run]").dataset.run}"]`);
    let chosen = 0;
    // Best at the top: ECharts counts categories from below.
    const order = () => {
      const middle = (i) => bench.groups[chosen].five[i]?.[2] ?? -1;
      return bench.rows.map((_, i) => i).sort((a, b) => middle(a) - middle(b) || b - a);
    };
    const entry = cloth.chart(element, (c) => {
      const { values, five } = bench.groups[chosen];
      const rows = order();
      const points = rows.flatMap((row, at) => values[row].map(([seed, value]) => [value, at, seed]));
      return {
        grid: { left: 8, right: 20, top: 8, bottom: 44, containLabel: true },
        xAxis: accuracyAxis(c, { name: "accuracy, %", nameLocation: "middle", nameGap: 28 }),
        yAxis: cloth.axis(c, { type: "category", data: rows.map((row) => cloth.cut(bench.rows[row], 28)), splitLine: { show: true, lineStyle: { color: c.line } }, axisLabel: { color: c.text, fontSize: 13 } }),
        series: [
          { type: "boxplot", layout: "vertical", data: rows.map((row) => (values[row].length > 1 ? five[row] : [])), boxWidth: [6, 16], silent: true, itemStyle: { color: c.raised, borderColor: c.accent, borderWidth: 1.5 } },
          { type: "scatter", data: points, symbolSize: 7, itemStyle: { color: c.target, opacity: 0.75 }, z: 3 },
        ],
        tooltip: cloth.tooltip(c, { trigger: "item", formatter: ({ value: [accuracy, at, seed] }) => cloth.tip([percent(accuracy), bench.rows[rows[at]], `seed ${seed}`]) }),
      };
    });
    cloth.draw(entry);
    select.addEventListener("change", () => {
      chosen = +select.value;
      cloth.draw(entry);
      cloth.say(`Accuracy on ${bench.groups[chosen].name}; best is ${bench.rows[order().at(-1)]}`);
    });
  });

  // Lines over categories, each with its points.
  const lines = (c, at, series, name) => ({
    grid: { left: 8, right: 16, top: 12, bottom: name ? 40 : 24, containLabel: true },
    xAxis: cloth.axis(c, { type: "category", data: at, boundaryGap: false, splitLine: { show: false }, axisLine: { show: true, onZero: false, lineStyle: { color: c.line } }, name, nameLocation: "middle", nameGap: 26 }),
    yAxis: accuracyAxis(c, { splitNumber: 3 }),
    series,
  });

  cloth.each("sweep", (element, bench) => {
    const sweep = bench.sweeps[+element.dataset.sweep];
    cloth.draw(cloth.chart(element, (c) => {
      const series = bench.groups.flatMap((group, i) => {
        const colour = cloth.classColour(i);
        const seeds = (row) => group.values[row].map(([, value]) => value);
        const means = sweep.rows.map((row) => (seeds(row).length ? mean(seeds(row)) : null));
        return [
          { type: "line", name: group.name, data: means, symbol: "circle", symbolSize: 6, lineStyle: { color: colour, width: 2 }, itemStyle: { color: colour }, z: 3 },
          { type: "scatter", data: sweep.rows.flatMap((row, at) => seeds(row).map((value) => [at, value])), symbolSize: 4, silent: true, itemStyle: { color: colour, opacity: 0.45 }, tooltip: { show: false } },
        ];
      });
      return {
        ...lines(c, sweep.at, series, sweep.name),
        tooltip: cloth.tooltip(c, {
          trigger: "axis", axisPointer: { type: "line", lineStyle: { color: c.dim, type: "solid", width: 1 } },
          formatter: (all) => cloth.tip([`${sweep.name} = ${sweep.at[all[0].dataIndex]}`, ...all.filter((one) => one.seriesType === "line" && one.value != null).map((one) => `${one.seriesName}: ${percent(one.value)}`)]),
        }),
      };
    }));
  });

  cloth.each("course", (element, bench) => {
    cloth.draw(cloth.chart(element, (c) => {
      const series = bench.courses.map(({ name, values }, i) => ({
        type: "line", name, data: values, connectNulls: true, symbol: "circle", symbolSize: 5, lineStyle: { color: cloth.classColour(i), width: 2 }, itemStyle: { color: cloth.classColour(i) },
      }));
      return {
        ...lines(c, bench.courses[0].at, series, "of the run"),
        tooltip: cloth.tooltip(c, {
          trigger: "axis", axisPointer: { type: "line", lineStyle: { color: c.dim, type: "solid", width: 1 } },
          formatter: (all) => cloth.tip([bench.courses[0].at[all[0].dataIndex], ...all.filter((one) => one.value != null).map((one) => `${one.seriesName}: ${Number(one.value.toPrecision(4))}`)]),
        }),
      };
    }));
  });

  const legends = () => document.querySelectorAll("[data-series]").forEach((dot) => dot.style.setProperty("--colour", cloth.classColour(+dot.dataset.series)));
  legends();
  document.addEventListener("colours", legends);
}
