/** What the claim knows of a task's place in its queue; `queue` is in the order of execution. */
interface Waiting {
  id: string;
  status: string;
}

/** The condition of the claim that one task of a deployment runs at a time, in their order, as a test compares it with its SQL. */
export const earlierTasks = <Task extends Waiting>(task: Waiting, queue: readonly Task[]): Task[] => {
  const place = queue.findIndex(({ id }) => id === task.id);
  return queue.filter(({ id, status }, at) => id !== task.id && (status === 'Started' || at < place));
};
