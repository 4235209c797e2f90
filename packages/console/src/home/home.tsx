import { Page } from '../ui/page.tsx';

export function Home() {
  return <Page title="Home">Nothing yet.</Page>;
}
