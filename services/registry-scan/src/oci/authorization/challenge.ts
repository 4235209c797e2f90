/** How a registry wants to be asked. Its `scope` is not kept: what we ask for is ours to say. */
export type Challenge = { scheme: 'bearer'; realm: string; service: string | undefined } | { scheme: 'basic' };

// The look-behind keeps a long run of letters from being tried from each of them.
const parameter = /(?<![a-z_])([a-z_]+)\s*=\s*(?:"([^"]*)"|([^\s",]+))/gi;

/** Reads the first challenge of a `WWW-Authenticate` header that we can answer; null where there is none. */
export function parseChallenge(header: string | undefined): Challenge | null {
  const [, scheme = '', rest = ''] = /^\s*(bearer|basic)(?:\s+(.*))?$/is.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' };
  if (scheme === '') return null;

  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain] of rest.matchAll(parameter)) {
    // The first one counts: what follows may belong to another challenge of the same header.
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), quoted ?? plain ?? '');
  }
  const realm = parameters.get('realm');
  return realm === undefined ? null : { scheme: 'bearer', realm, service: parameters.get('service') };
}
