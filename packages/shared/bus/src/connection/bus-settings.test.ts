import { expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig } from '@berth/service/read-config';
import { busOptions, busSettings } from './bus-settings.ts';

const read = (settings: Record<string, string>) =>
  busOptions(readConfig(z.object(busSettings), { NATS_PASSWORD: 'for NATS', ...settings }));

test('URLs of several servers are separated by commas', () => {
  expect(read({ NATS_URL: 'nats://one:4222, tls://two' })).toEqual({
    servers: ['nats://one:4222', 'tls://two'],
    password: 'for NATS',
    streamsPassword: undefined,
    ca: undefined,
    replicas: 1,
    stateBytes: 256 * 1024 * 1024,
  });
});

test.for([
  ['no URL', { NATS_URL: 'one:4222' }, 'NATS_URL.0: must be nats:// or tls:// URLs'],
  ['one that is not a NATS URL', { NATS_URL: 'nats://one,https://two' }, 'NATS_URL.1: must be nats:// or tls:// URLs'],
  ['no certificate', { NATS_URL: 'nats://one', NATS_CA: '/etc/ca.pem' }, 'NATS_CA: must hold certificates as PEM'],
  ['too many replicas', { NATS_URL: 'nats://one', NATS_REPLICAS: '6' }, 'NATS_REPLICAS: '],
] as const)('%s is refused, and the error names the variable', ([, settings, problem]) => {
  expect(() => read(settings)).toThrow(problem);
});
