import { Page } from '../shell/page.tsx';

export function EnvPage() {
  return <Page title="Env">Nothing yet.</Page>;
}
