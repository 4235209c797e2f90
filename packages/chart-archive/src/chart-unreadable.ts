/**
 * A defect of the chart itself, worded for the person who packaged it. Reading the same bytes again would give the same
 * error, so it is stored as the chart's `error`.
 */
export class ChartUnreadable extends Error {
  override readonly name = 'ChartUnreadable';
}
