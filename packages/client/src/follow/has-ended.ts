import type { DeploymentTask } from '../api/client.ts';

const ended: ReadonlySet<DeploymentTask['status']> = new Set(['Done', 'Failed', 'Canceled']);

export const hasEnded = ({ status }: Pick<DeploymentTask, 'status'>): boolean => ended.has(status);
