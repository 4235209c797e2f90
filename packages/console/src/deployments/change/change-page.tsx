import { Page } from '../../shell/page.tsx';

export function ChangePage() {
  return <Page title="Change">Nothing yet.</Page>;
}
