import type { ReflectorSink } from '../reflector/reflector.ts';
import { type FoundSecret, foundSecret } from './found-secret.ts';

/** The Secrets `service-creds` of one cluster, as its watch shows them. */
export function createFoundSecrets() {
  const secrets = new Map<string, FoundSecret>();
  let isListed = false;

  function put(object: unknown): FoundSecret | null {
    const found = foundSecret(object);
    if (!found) return null;
    secrets.set(found.namespace, found);
    return found;
  }

  function drop(namespace: string): void {
    secrets.delete(namespace);
  }

  const sink: ReflectorSink = {
    beginPass() {
      const listed = new Set<string>();
      return {
        async add(object) {
          const found = put(object);
          if (found) listed.add(found.namespace);
        },
        end() {
          for (const namespace of secrets.keys()) if (!listed.has(namespace)) drop(namespace);
          isListed = true;
        },
      };
    },
    async put(object) {
      put(object);
    },
    async remove(object) {
      const found = foundSecret(object);
      if (found) drop(found.namespace);
    },
  };

  return {
    sink,
    of: (namespace: string): FoundSecret | undefined => secrets.get(namespace),
    /** Until the first list has ended, an existing Secret may seem absent. */
    isListed: () => isListed,
  };
}
export type FoundSecrets = ReturnType<typeof createFoundSecrets>;
