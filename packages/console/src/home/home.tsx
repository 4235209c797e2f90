import { Page } from '../shell/page.tsx';

export function Home() {
  return <Page title="Home">Nothing yet.</Page>;
}
