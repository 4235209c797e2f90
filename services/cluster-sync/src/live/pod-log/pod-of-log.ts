import { plainText } from '@berth/contracts/plain-text';
import { AppError } from '@berth/contracts/errors';
import { z } from 'zod';

const Names = z
  .array(z.object({ name: z.string() }))
  .nullish()
  .catch([])
  .transform((each) => (each ?? []).map(({ name }) => name));

export const LoggedPod = z.object({
  metadata: z.object({ uid: z.string(), annotations: z.record(z.string(), z.string()).optional().catch(undefined) }),
  spec: z.object({
    initContainers: Names,
    containers: Names,
    ephemeralContainers: Names,
    nodeName: z.string().optional().catch(undefined),
  }),
  status: z.object({ phase: z.string().optional() }).catch({}),
});
export type LoggedPod = z.infer<typeof LoggedPod>;

/** kubectl reads this annotation as well. */
const defaultContainer = 'kubectl.kubernetes.io/default-container';

/** The container whose log is read. If the choice is ambiguous or unknown, throws an error that lists the containers. */
export function containerOf({ metadata, spec }: LoggedPod, given: string | undefined): string {
  const { initContainers, containers, ephemeralContainers } = spec;
  const all = [...containers, ...initContainers, ...ephemeralContainers];
  const [only, another] = containers;
  const preferred = metadata.annotations?.[defaultContainer];
  const chosen =
    given ??
    (preferred !== undefined && all.includes(preferred) ? preferred : another === undefined ? only : undefined);
  if (chosen !== undefined && all.includes(chosen)) return chosen;
  const names = plainText(all.slice(0, 20).join(', '), 500);
  throw new AppError(
    'conflict',
    given === undefined
      ? `Name one of the containers of the pod: ${names}`
      : `The pod has no container ${given}; it has ${names}`,
  );
}

/** Whether its containers will not run again. */
export const hasEnded = ({ status }: LoggedPod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';
