import { Page } from '../ui/page.tsx';

export function BotList() {
  return <Page title="Bots">Nothing yet.</Page>;
}
