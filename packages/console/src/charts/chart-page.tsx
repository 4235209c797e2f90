import { Page } from '../ui/page.tsx';

export function ChartPage() {
  return <Page title="Chart">Nothing yet.</Page>;
}
