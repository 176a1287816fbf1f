// The parts of Apache ECharts that reports use.
import * as echarts from "echarts/core";
import { BarChart, BoxplotChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import { DataZoomInsideComponent, GridComponent, TooltipComponent, VisualMapContinuousComponent } from "echarts/components";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer } from "echarts/renderers";

echarts.use([
  BarChart, BoxplotChart, HeatmapChart, LineChart, ScatterChart,
  DataZoomInsideComponent, GridComponent, TooltipComponent, VisualMapContinuousComponent,
  LabelLayout, CanvasRenderer,
]);

export const { init, connect, getInstanceByDom, version } = echarts;
