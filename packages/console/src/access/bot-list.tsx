import { Page } from '../shell/page.tsx';

export function BotList() {
  return <Page title="Bots">Nothing yet.</Page>;
}
