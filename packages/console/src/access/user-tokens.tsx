import { Page } from '../ui/page.tsx';

export function UserTokens() {
  return <Page title="Your tokens">Nothing yet.</Page>;
}
