import type { DeploymentTask } from '@berth/client';

/** Operations whose key is not a plain word. */
const words: Record<string, string> = { InvokeAction: 'Action', Recreate: 'Move', RestartK8sResource: 'Restart' };

/** What a task does, in one word. */
export function operationWord({ operation }: Pick<DeploymentTask, 'operation'>): string {
  const [key = ''] = Object.keys(operation);
  return words[key] ?? key;
}
