import { z } from 'zod';
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

/** The packaged chart that a manifest points to. */
export type ChartLayer = z.infer<typeof Descriptor>;

/** The layer of the chart; null if the manifest is of an image, an index or a signature. */
export function chartLayerOf(manifest: unknown): ChartLayer | null {
  const { data } = Manifest.safeParse(manifest);
  if (data?.config.mediaType !== helmConfig) return null;

  const layers = data.layers.filter(({ mediaType }) => chartLayer.has(mediaType));
  return layers.length === 1 ? (layers[0] ?? null) : null;
}
