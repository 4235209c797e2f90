import { unwrap } from '@berth/client';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Grounds } from '../browser/grounds.ts';

/** The addresses of all screens and tabs, with existing rows. */
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

const pictures = fileURLToPath(new URL('../../../.berth/pictures/', import.meta.url));

/** Set by `npm run pictures`: pictures of all widths, and those of the README. */
export const areAllPictures = process.env['BERTH_PICTURES'] === 'all';

/** The width of a window in which screens are tested. */
export const usualWidth = 1280;

/** The widths that a picture of each screen is taken in. */
export const widths = areAllPictures ? [1440, 1024, 360] : [usualWidth];

interface Pictured {
  path: string;
  state: string;
  theme: string;
  width: number;
}

/** Where a picture is kept: `.berth/pictures/dark/1440/deployments-id-history.png`, of other states as `….loading.png`. */
export function pictureOf({ path, state, theme, width }: Pictured): string {
  const name = path
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'id')
    .replace(/\?.*/, '')
    .replaceAll('/', '-')
    .slice(1);
  return join(pictures, theme, String(width), `${name || 'home'}${state === 'ready' ? '' : `.${state}`}.png`);
}
