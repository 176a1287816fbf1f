// The parts of Apache ECharts that reports use.
import * as echarts from "echarts/core";
import { BarChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import { DataZoomInsideComponent, GridComponent, TooltipComponent, VisualMapContinuousComponent } from "echarts/components";
import { LabelLayout } from "echarts/features";
import { CanvasRenderer } from "echarts/renderers";

echarts.use([
  BarChart, HeatmapChart, LineChart, ScatterChart,
  DataZoomInsideComponent, GridComponent, TooltipComponent, VisualMapContinuousComponent,
  LabelLayout, CanvasRenderer,
]);

export const { init, connect, getInstanceByDom, version } = echarts;
