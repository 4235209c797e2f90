import { Page } from '../shell/page.tsx';

export function UserList() {
  return <Page title="Users">Nothing yet.</Page>;
}
