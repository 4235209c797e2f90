import type { FoundDocument } from '../documents/parse-documents.ts';
import type { Scope } from './read-platform.ts';

/** What has to be read for a set: the envs and charts that its documents name, and the envs in which it has rows. */
export function scopeOf(found: readonly FoundDocument[], owned: Readonly<Record<string, string>>): Scope {
  const envs = new Set<string>();
  const charts: string[] = [];
  for (const { document } of found) {
    if (document.kind === 'Env') envs.add(document.name);
    if ('env' in document && typeof document.env === 'string') envs.add(document.env);
    if (document.kind === 'Deployment') charts.push(document.chart);
  }
  for (const key of Object.keys(owned)) {
    const [, env = ''] = key.split('/');
    envs.add(env.replaceAll('%2F', '/').replaceAll('%25', '%'));
  }
  return { envs, charts };
}
