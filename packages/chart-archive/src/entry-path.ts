import { cutText } from '@berth/contracts/cut-text';
import { ChartUnreadable } from './chart-unreadable.ts';
import { archiveLimits } from './archive-limits.ts';

/** Splits `<chart>/<path>`; refuses every name that could point outside the chart's own folder. */
export function entryPath(name: string): { chart: string; path: string } {
  const shown = JSON.stringify(cutText(name, 200));
  if (Buffer.byteLength(name) > archiveLimits.pathBytes) {
    throw new ChartUnreadable(`the archive has a path longer than ${archiveLimits.pathBytes} bytes: ${shown}`);
  }
  // oxlint-disable-next-line no-control-regex -- the rule is about control characters
  if (/[\u0000-\u001f\u007f\\]/.test(name)) {
    throw new ChartUnreadable(`the archive has a path with a control character or backslash: ${shown}`);
  }
  const [chart = '', ...rest] = name.replace(/\/+$/, '').split('/');
  if (chart === '' || /^[a-zA-Z]:/.test(name)) throw new ChartUnreadable(`the archive has an absolute path: ${shown}`);
  if ([chart, ...rest].some((part) => part === '..' || part === '.' || part === '')) {
    throw new ChartUnreadable(`the archive has a path with an empty part, "." or "..": ${shown}`);
  }
  return { chart, path: rest.join('/') };
}
