import { readFile } from 'node:fs/promises';
import { callerNames } from '@berth/contracts/definition/contract';
import { expect, test } from 'vitest';
import { type Surroundings, serviceProcesses } from './service-settings.ts';

const surroundings: Surroundings = {
  url: 'http://127.0.0.1:8080',
  gatewayPort: 8080,
  natsUrl: 'nats://127.0.0.1:4222',
  natsPasswords: { 'api-gateway': '', auth: '', tasks: '', 'cluster-sync': '', 'registry-scan': '', runner: '' },
  databaseUrls: {},
  keyEncryptionKeys: { auth: '', tasks: '' },
  oidc: { issuer: '', clientId: '', clientSecret: '' },
  adminEmail: '',
  registryUrl: '',
  pushPort: 1,
  pushToken: '',
  kubeconfigFile: '',
  kubeContext: 'local',
  helm: '',
  runnerFolder: '',
  overrides: {},
};

const textOf = (path: string): Promise<string> => readFile(new URL(`../../../../${path}`, import.meta.url), 'utf8');

test.for(callerNames)('%s reads every setting and secret that it receives', async (name) => {
  // Part of every configuration.
  const bus = await textOf('packages/shared/bus/src/connection/bus-settings.ts');
  const read = (await textOf(`services/${name}/src/config.ts`)) + bus;
  const given = serviceProcesses(surroundings).find((process) => process.name === name);

  const names = Object.keys({ ...given?.settings, ...given?.secrets });

  expect(names).toContain('NATS_URL');
  expect(names.filter((setting) => !read.includes(` ${setting}: `))).toEqual([]);
});
