import { Page } from '../shell/page.tsx';

export function ChartList() {
  return <Page title="Charts">Nothing yet.</Page>;
}
