import { expect, test } from 'vitest';
import { chartTgz, chartYaml } from '@berth/chart-archive/testing/tgz';
import { registryInTest, web } from '../support/registry-in-test.ts';

const { charts, scan, server } = registryInTest();

test.for([
  ['1.2.3', { parsed_version: '1.2.3', parsed_branch: null, parsed_revision: null, parsed_commit: null }],
  ['chart-v1.2.3', { parsed_version: '1.2.3' }],
  [
    'v1.2.3-14-g0a1b2c3-feature-x',
    { parsed_version: '1.2.3', parsed_revision: '14', parsed_commit: '0a1b2c3', parsed_branch: 'feature-x' },
  ],
  ['1.2.3-main.7', { parsed_version: '1.2.3', parsed_branch: 'main', parsed_revision: '7', parsed_commit: null }],
  ['nightly', { parsed_version: '9.9.9', parsed_branch: null, tag_format_id: null }],
] as const)('the tag %s is parsed into its parts', async ([tag, parsed]) => {
  server().push('charts/web', tag, await web('9.9.9'));

  await scan();

  expect(await charts()).toMatchObject([parsed]);
});

test('the commit and branch in Chart.yaml take precedence over the tag', async () => {
  const annotations = { 'berth.dev/git/commit': 'c0ffee', 'berth.dev/git/branch': 'release' };
  const archive = await chartTgz({ 'Chart.yaml': chartYaml({ version: '9.9.9', annotations }) });
  server().push('charts/web', 'v1.2.3-14-g0a1b2c3-feature-x', archive);

  await scan();

  expect(await charts()).toMatchObject([
    {
      parsed_version: '9.9.9',
      parsed_commit: 'c0ffee',
      parsed_branch: 'release',
      parsed_revision: null,
      tag_format_id: null,
    },
  ]);
});
