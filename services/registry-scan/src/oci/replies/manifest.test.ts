import { describe, expect, test } from 'vitest';
import { chartPackageOf } from './manifest.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const layer = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', digest, size: 10 };
const chart = {
  schemaVersion: 2,
  config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest, size: 2 },
  layers: [layer],
};

describe('chartPackageOf', () => {
  const found = { digest, size: 10, url: null };

  test('finds the packaged chart', () => {
    expect(chartPackageOf(chart)).toEqual(found);
  });

  test('skips the provenance layer', () => {
    const provenance = { ...layer, mediaType: 'application/vnd.cncf.helm.chart.provenance.v1.prov' };

    expect(chartPackageOf({ ...chart, layers: [layer, provenance] })).toEqual(found);
  });

  test.for([
    ['an image', { ...chart, config: { ...chart.config, mediaType: 'application/vnd.oci.image.config.v1+json' } }],
    ['an index', { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests: [] }],
    ['a chart with two packages', { ...chart, layers: [layer, layer] }],
    ['a chart without a package', { ...chart, layers: [] }],
    ['a layer without a proper digest', { ...chart, layers: [{ ...layer, digest: 'sha256:../../etc' }] }],
    ['a negative size', { ...chart, layers: [{ ...layer, size: -1 }] }],
    ['a manifest that is not an object', null],
  ] as const)('is null for %s', ([, manifest]) => {
    expect(chartPackageOf(manifest)).toBeNull();
  });
});
