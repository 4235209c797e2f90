import { Page } from '../shell/page.tsx';

export function TaskPage() {
  return <Page title="Task">Nothing yet.</Page>;
}
