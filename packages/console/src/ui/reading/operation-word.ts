import type { DeploymentTask } from '@berth/client';

/** Where the key of an operation is no word for people. */
const words: Record<string, string> = { InvokeAction: 'Action', Recreate: 'Move', RestartK8sResource: 'Restart' };

/** What a task does, in a word. */
export function operationWord({ operation }: Pick<DeploymentTask, 'operation'>): string {
  const [key = ''] = Object.keys(operation);
  return words[key] ?? key;
}
