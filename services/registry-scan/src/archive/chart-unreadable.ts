/**
 * What is wrong with a chart itself, in a sentence for the person who packaged it. Another look at the same bytes would
 * find the same, so it is stored as the chart's `error`.
 */
export class ChartUnreadable extends Error {
  override readonly name = 'ChartUnreadable';
}
