import { useParams } from '@tanstack/react-router';
import { Page } from '../shell/page.tsx';
import { TaskLog } from './task-log.tsx';

export function TaskPage() {
  const { id } = useParams({ from: '/inside/tasks/$id' });
  return (
    <Page title="Task">
      <TaskLog id={id} />
    </Page>
  );
}
