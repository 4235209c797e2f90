import type { RealNode } from '@berth/devstack';

/** The answer of the API server; throws if it refuses. */
export async function readFrom({ api }: Pick<RealNode, 'api'>, path: string): Promise<unknown> {
  const { status, body } = await api.get(path, AbortSignal.timeout(20_000));
  if (status !== 200) throw new Error(`${path}: ${status} ${body.slice(0, 500)}`);
  return JSON.parse(body);
}
