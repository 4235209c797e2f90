import { unwrap } from '@berth/client';
import type { Grounds } from './grounds.ts';

/** The address of every screen and tab, with rows that exist. */
export async function screensOf({ platform: { admin }, deployment, sample }: Grounds): Promise<string[]> {
  const [task] = unwrap(await admin.deploymentTasks.list({ query: { deployment_id: deployment.id } })).items;
  const tabs = ['', '/resources', '/logs', '/tasks', '/values', '/history', '/access'];
  return [
    '/',
    '/deployments',
    ...tabs.map((tab) => `/deployments/${deployment.id}${tab}`),
    `/deployments/${deployment.id}/change`,
    '/deployments/new',
    '/tasks',
    `/tasks/${task?.id}`,
    '/charts',
    `/charts/${sample.chart.id}`,
    '/clusters',
    `/clusters/${sample.cluster.id}`,
    '/envs',
    ...['', '/members', '/secrets', '/resources', '/settings'].map((tab) => `/envs/${deployment.env_id}${tab}`),
    '/profile/user-tokens',
    '/admin/users',
    '/admin/bots',
    '/admin/audit',
  ];
}
