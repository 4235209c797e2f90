import { Page } from '../shell/page.tsx';

export function TaskList() {
  return <Page title="Tasks">Nothing yet.</Page>;
}
