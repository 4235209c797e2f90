/** The authentication that a registry requires. Its `scope` is dropped, since we request our own. */
export type Challenge = { scheme: 'bearer'; realm: string; service: string | undefined } | { scheme: 'basic' };

// The look-behind keeps the regex from retrying at each letter of a long word.
const parameter = /(?<![a-z_])([a-z_]+)\s*=\s*(?:"([^"]*)"|([^\s",]+))/gi;

/** Reads the first supported challenge of a `WWW-Authenticate` header; null if there is none. */
export function parseChallenge(header: string | undefined): Challenge | null {
  const [, scheme = '', rest = ''] = /^\s*(bearer|basic)(?:\s+(.*))?$/is.exec(header ?? '') ?? [];
  if (scheme.toLowerCase() === 'basic') return { scheme: 'basic' };
  if (scheme === '') return null;

  const parameters = new Map<string, string>();
  for (const [, name = '', quoted, plain] of rest.matchAll(parameter)) {
    // The first value counts: a later one may belong to another challenge in the same header.
    if (!parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), quoted ?? plain ?? '');
  }
  const realm = parameters.get('realm');
  return realm === undefined ? null : { scheme: 'bearer', realm, service: parameters.get('service') };
}
