import { Page } from '../ui/page.tsx';

export function EnvPage() {
  return <Page title="Env">Nothing yet.</Page>;
}
