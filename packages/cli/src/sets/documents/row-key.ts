import type { SetDocument } from './set-document.ts';
import { referencesIn } from './references.ts';

/** Names may contain slashes. */
const segment = (text: string): string => text.replaceAll('%', '%25').replaceAll('/', '%2F');

export const rowKey = (kind: string, ...names: readonly string[]): string => [kind, ...names.map(segment)].join('/');

export const kindOfChart = (chart: string): string => chart.slice(0, chart.indexOf('@'));

/** `HelloWeb/page` */
export function typeParts(type: string): { kind: string; key: string } {
  const at = type.indexOf('/');
  return { kind: type.slice(0, at), key: type.slice(at + 1) };
}

/** The key that identifies a row among those of a set, such as `Secret/prod/web/token`. */
export function keyOf(document: SetDocument): string {
  switch (document.kind) {
    case 'Env':
    case 'Bot':
    case 'Cluster':
      return rowKey(document.kind, document.name);
    case 'Member':
      return rowKey('Member', document.env, document.user);
    case 'Role':
      return rowKey('Role', document.env, document.user, document.deployment_kind);
    case 'Secret':
      return rowKey('Secret', document.env, document.collection, document.name);
    case 'Deployment':
      return deploymentKey(document, kindOfChart(document.chart), document.name);
    default: {
      const { kind, key } = typeParts(document.type);
      return rowKey('Resource', document.env, kind, key, document.name);
    }
  }
}

export const deploymentKey = (
  { env, cluster = '' }: { env: string; cluster?: string | undefined },
  kind: string,
  name: string,
) => rowKey('Deployment', env, cluster, kind, name);

/** The rows that have to be there before this one. */
export function needsOf(document: SetDocument): string[] {
  switch (document.kind) {
    case 'Env':
    case 'Bot':
      return [];
    case 'Cluster':
      return typeof document.env === 'string' ? [rowKey('Env', document.env)] : [];
    case 'Member':
    case 'Secret':
      return [rowKey('Env', document.env)];
    case 'Role':
      return [rowKey('Env', document.env), rowKey('Member', document.env, document.user)];
    case 'Deployment':
      return [
        rowKey('Env', document.env),
        ...(document.cluster === undefined ? [] : [rowKey('Cluster', document.cluster)]),
        ...referencesIn(document.config ?? {}).map((reference) => keyOfReference(document.env, reference)),
      ];
    default:
      return [
        rowKey('Env', document.env),
        deploymentKey(document, typeParts(document.type).kind, document.deployment),
        ...referencesIn(document.props ?? {}).map((reference) => keyOfReference(document.env, reference)),
      ];
  }
}

/** A reference leaves out the env: in the env `prod`, `Secret/web/token` is the row `Secret/prod/web/token`. */
export function keyOfReference(env: string, reference: string): string {
  const [kind = '', ...names] = reference.split('/');
  return [kind, segment(env), ...names].join('/');
}

/** The reference to a row from another row of its env; null if the row is in no env or is of a kind that no input selects. */
export function referenceTo(key: string, env: string): string | null {
  const [kind = '', of, ...names] = key.split('/');
  return of === segment(env) && ['Secret', 'Deployment', 'Resource'].includes(kind) ? [kind, ...names].join('/') : null;
}
