import type { Held } from './hold.ts';

/** The task of an uninstall ends soon after its namespace is gone, and then nothing is wrong. */
const goneMs = 5_000;
const forgottenMs = 3_600_000;

/** Null forgets it. */
interface Next {
  readonly held: Held | null;
  readonly due_at: string | null;
  readonly isChanged: boolean;
}

/** The namespace of a deployment is gone, which is a fault if the deployment is still installed there after a while. */
export function withoutObjects(namespace: string, before: Held | null, now: string): Next {
  if (!before) return { held: null, due_at: null, isChanged: false };
  const { goneAt = now } = before;
  const dueAt = (ms: number) => new Date(Date.parse(goneAt) + ms).toISOString();
  if (now < dueAt(goneMs)) return { held: { ...before, goneAt }, due_at: dueAt(goneMs), isChanged: false };
  if (now >= dueAt(forgottenMs)) return { held: null, due_at: null, isChanged: false };

  const message = 'the namespace is not in the cluster';
  const cause = { kind: 'Namespace', name: namespace, cause: 'NamespaceGone', message, since: goneAt, telling: 100 };
  const held: Held = {
    shown: { state: 'Degraded', since: goneAt, causes: [cause] },
    observed: 'Degraded',
    left: {},
    firstUntil: null,
    goneAt,
  };
  const isShown = before.shown.causes[0]?.cause === cause.cause;
  return { held, due_at: dueAt(forgottenMs), isChanged: !isShown };
}
