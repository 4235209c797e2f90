/** The encodings that the gateway writes, its preferred one first. */
const encodings = ['br', 'gzip'] as const;
export type Encoding = (typeof encodings)[number];

/** `gzip;q=0.5`. */
const part = /^\s*([\w*-]+)\s*(?:;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*)?$/i;

/** The encoding that the client prefers among those that the gateway writes (RFC 9110, 12.5.3); null if it accepts none of them. */
export function acceptedEncoding(header: string | undefined): Encoding | null {
  if (header === undefined) return null;
  const weights = new Map<string, number>();
  for (const text of header.split(',')) {
    const [, name, weight = '1'] = part.exec(text) ?? [];
    if (name !== undefined) weights.set(name.toLowerCase(), Number(weight));
  }
  const weightOf = (name: string): number => weights.get(name) ?? weights.get('*') ?? 0;

  let best: Encoding | null = null;
  for (const encoding of encodings) {
    if (weightOf(encoding) > (best === null ? 0 : weightOf(best))) best = encoding;
  }
  return best !== null && weightOf(best) >= (weights.get('identity') ?? 0) ? best : null;
}
