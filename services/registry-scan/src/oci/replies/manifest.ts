import { z } from 'zod';
import type { ChartPackage } from '../../connection/registry-client.ts';
import { isDigest } from '../names.ts';

const helmConfig = 'application/vnd.cncf.helm.config.v1+json';
const chartLayer = new Set(['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip']);

/** The accepted media types. An index is not accepted, since indexes can be nested endlessly. */
export const acceptedManifests = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

const Descriptor = z.object({
  mediaType: z.string(),
  digest: z.string().refine(isDigest, 'is not a sha256 digest'),
  size: z.number().int().nonnegative(),
});

const Manifest = z.object({
  schemaVersion: z.literal(2),
  mediaType: z.string().optional(),
  config: Descriptor,
  layers: z.array(Descriptor).max(100),
});

/** The packaged chart that a manifest points to; null if the manifest is of an image, an index or a signature. */
export function chartPackageOf(manifest: unknown): ChartPackage | null {
  const { data } = Manifest.safeParse(manifest);
  if (data?.config.mediaType !== helmConfig) return null;

  const layers = data.layers.filter(({ mediaType }) => chartLayer.has(mediaType));
  const [layer] = layers;
  return layer && layers.length === 1 ? { digest: layer.digest, size: layer.size, url: null } : null;
}
