import { Page } from '../../ui/page.tsx';

export function ChangePage() {
  return <Page title="Change">Nothing yet.</Page>;
}
