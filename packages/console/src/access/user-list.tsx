import { Page } from '../ui/page.tsx';

export function UserList() {
  return <Page title="Users">Nothing yet.</Page>;
}
