import { Page } from '../../shell/page.tsx';

export function CreatePage() {
  return <Page title="New deployment">Nothing yet.</Page>;
}
