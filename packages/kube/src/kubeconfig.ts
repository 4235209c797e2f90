import { parse } from 'yaml';
import { z } from 'zod';
import { Text } from '@berth/contracts/fields/fields';

const Fields = z.record(z.string(), z.unknown());
const listOf = <T extends z.ZodType>(item: T) =>
  z
    .array(item)
    .nullish()
    .transform((items) => items ?? []);

/** The parts of a kubeconfig that are read; `kubeAccessOf` checks its clusters and users. */
export const Kubeconfig = z.object({
  clusters: listOf(z.object({ name: z.string(), cluster: Fields })),
  users: listOf(z.object({ name: z.string(), user: Fields })),
  contexts: listOf(z.object({ name: Text, context: z.object({ cluster: z.string(), user: z.string() }) })),
});
export type Kubeconfig = z.infer<typeof Kubeconfig>;

const maxCharacters = 1024 * 1024;

/** A fault that the author of the kubeconfig can correct. The message never quotes the text, which holds credentials. */
export class UnusableKubeconfig extends Error {
  override readonly name = 'UnusableKubeconfig';
}

/** Reads the text of a kubeconfig; throws `UnusableKubeconfig`, which names the field. */
export function parseKubeconfig(text: string): Kubeconfig {
  if (text.length > maxCharacters) throw new UnusableKubeconfig('the kubeconfig is larger than 1 MiB');

  const { data, error } = Kubeconfig.safeParse(yamlOf(text));
  if (data) return data;

  const faults = error.issues.map(({ path, message }) => `${path.join('.') || 'the document'}: ${message}`);
  throw new UnusableKubeconfig(`this is not a kubeconfig: ${faults.slice(0, 3).join('; ')}`);
}

function yamlOf(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 50, prettyErrors: false, logLevel: 'error' });
  } catch {
    // The parser's message quotes the line it failed at, so it is not passed on, not even as a cause.
    throw new UnusableKubeconfig('the kubeconfig is not valid YAML');
  }
}
