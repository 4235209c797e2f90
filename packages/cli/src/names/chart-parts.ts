/** The kind and the version or digest of `KIND@VERSION` or `KIND@sha256:DIGEST`; null for any other text. */
export function chartParts(text: string): { kind: string; version: string; isDigest: boolean } | null {
  const [, kind, version] = /^([^@]+)@(.+)$/.exec(text) ?? [];
  return kind === undefined || version === undefined ? null : { kind, version, isDigest: version.includes(':') };
}
