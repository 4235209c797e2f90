/** The fields of a task that decide for which earlier tasks it waits. */
interface Waiting {
  id: string;
  status: string;
}

/**
 * The tasks that must end before this one starts, by the same rule as the SQL of the claim; `queue` is in the order of execution.
 */
export const earlierTasks = <Task extends Waiting>(task: Waiting, queue: readonly Task[]): Task[] => {
  const position = queue.findIndex(({ id }) => id === task.id);
  return queue.filter(({ id, status }, at) => id !== task.id && (status === 'Started' || at < position));
};
