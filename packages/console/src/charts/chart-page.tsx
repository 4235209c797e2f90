import { Page } from '../shell/page.tsx';

export function ChartPage() {
  return <Page title="Chart">Nothing yet.</Page>;
}
