import { Page } from '../ui/page.tsx';

export function ChartList() {
  return <Page title="Charts">Nothing yet.</Page>;
}
