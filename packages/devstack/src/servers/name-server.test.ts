import { Resolver } from 'node:dns/promises';
import { expect, test } from 'vitest';
import { type AddressesOf, startNameServer } from './name-server.ts';

async function served(addressesOf: AddressesOf, timeout: number) {
  const names = await startNameServer({ host: '127.0.0.1', port: 0 }, addressesOf);
  const resolver = new Resolver({ timeout, tries: 1 });
  resolver.setServers([`127.0.0.1:${names.port}`]);
  return { resolver, [Symbol.asyncDispose]: () => names[Symbol.asyncDispose]() };
}

test('an existing name has its addresses and no other records, and other names do not exist', async () => {
  const names = new Map([['postgresql.berth', ['10.0.0.1', '10.0.0.2']]]);
  await using server = await served(async (name) => names.get(name), 5_000);
  const { resolver } = server;

  expect((await resolver.resolve4('PostgreSQL.berth')).toSorted()).toEqual(['10.0.0.1', '10.0.0.2']);
  await expect(resolver.resolve6('postgresql.berth')).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(resolver.resolve4('postgresql.other')).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('a query whose addresses cannot be read is not answered, and the next one is', async () => {
  let fails = true;
  await using server = await served(async () => {
    if (fails) throw new Error('the API server is away');
    return ['10.0.0.1'];
  }, 3_000);

  await expect(server.resolver.resolve4('nats.berth')).rejects.toMatchObject({ code: 'ETIMEOUT' });
  fails = false;
  expect(await server.resolver.resolve4('nats.berth')).toEqual(['10.0.0.1']);
});
