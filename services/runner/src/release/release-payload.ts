import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';

/** Kubernetes stores at most a megabyte, which may decompress to a thousand. */
const maxPayloadBytes = 32 * 1024 * 1024;

const Release = z.looseObject({
  info: z.looseObject({ status: z.string() }),
  manifest: z.string().optional(),
});

/** Helm stores a release as base64 of gzip of JSON, which Kubernetes encodes in base64 once more (`data.release`). */
async function decode(data: string): Promise<z.infer<typeof Release>> {
  const zipped = Buffer.from(Buffer.from(data, 'base64').toString('latin1'), 'base64');
  const json = await promisify(gunzip)(zipped, { maxOutputLength: maxPayloadBytes });
  return Release.parse(JSON.parse(json.toString('utf8')));
}

export async function statusInPayload(data: string): Promise<string | null> {
  return decode(data).then(
    ({ info }) => info.status,
    () => null,
  );
}

/** The manifest of a release, without its hooks; null if the payload is not what Helm writes. */
export async function manifestInPayload(data: string): Promise<string | null> {
  return decode(data).then(
    ({ manifest = '' }) => manifest,
    () => null,
  );
}

/** The payload with another status: Helm reads the status from here, not from the label. */
export async function withStatus(data: string, status: string, description: string): Promise<string> {
  const release = await decode(data);
  const changed = { ...release, info: { ...release.info, status, description } };
  const zipped = await promisify(gzip)(Buffer.from(JSON.stringify(changed)));
  return Buffer.from(zipped.toString('base64'), 'latin1').toString('base64');
}
