import { Page } from '../ui/page.tsx';

export function TaskList() {
  return <Page title="Tasks">Nothing yet.</Page>;
}
