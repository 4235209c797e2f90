import { Page } from '../shell/page.tsx';

export function UserTokens() {
  return <Page title="Your tokens">Nothing yet.</Page>;
}
