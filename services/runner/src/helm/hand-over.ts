import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { permanent } from '../outcome/task-failure.ts';
import { mebibyte, outputLimits } from './helm-limits.ts';

/** Must be read-only: programs in this folder run with the credentials of a cluster. */
const pluginsFolder = fileURLToPath(new URL('plugins', import.meta.url));

/** Arguments that make Helm hand over its rendered manifests. */
export const handOverArguments = ['--post-renderer', 'hand-over'];

/** Helm refuses a post-renderer that returns nothing, and a chart may render nothing. */
const nothing = '# The chart renders nothing.\n';

export interface HandOver {
  environment: Record<string, string>;
  /** The socket that Helm inherits. */
  over(socket: Duplex): void;
  /** Why the manifests were refused; undefined if they were not. */
  refusal(): unknown;
}

/** Checks the manifests, and returns those that Helm is to apply; null: as they are. */
export type OnRendered = (manifests: string) => Promise<string | null>;

/**
 * Receives the manifests that Helm has rendered, hooks included, and returns the same bytes once `check` is done, unless it gives
 * others. If `check` throws, Helm gets nothing and fails before it applies or records anything. A second rendering could differ from
 * the checked one.
 */
export function createHandOver(check: OnRendered): HandOver {
  const end = randomUUID();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let refusal: unknown;

  async function answer(socket: Duplex): Promise<void> {
    const manifests = Buffer.concat(chunks).subarray(0, -end.length - 1);
    const changed = await check(manifests.toString('utf8'));
    socket.end(manifests.length === 0 ? nothing : (changed ?? manifests));
  }

  return {
    environment: { HELM_PLUGINS: pluginsFolder, BERTH_END_OF_MANIFEST: end },
    refusal: () => refusal,
    over(socket) {
      const refuse = (error: unknown): void => {
        refusal ??= error;
        socket.destroy();
      };
      socket.on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.length;
        if (bytes > outputLimits.handedOver) {
          return refuse(
            permanent(`The chart renders more than ${outputLimits.handedOver / mebibyte} MiB of manifests`),
          );
        }
        if (endsWith(chunks, `${end}\n`)) answer(socket).catch(refuse);
      });
    },
  };
}

/** Whether the end mark was received; it is short, so it is in the last few chunks. */
function endsWith(chunks: readonly Buffer[], mark: string): boolean {
  let tail = Buffer.alloc(0);
  for (let at = chunks.length - 1; at >= 0 && tail.length < mark.length; at -= 1) {
    tail = Buffer.concat([chunks[at] ?? Buffer.alloc(0), tail]);
  }
  return tail.subarray(-mark.length).toString('latin1') === mark;
}
