import { expect, test } from 'vitest';
import { usedIds } from './used-ids.ts';

const peer = { id: 'peer', type: 'CollectionSelect', collection: 'deployments' };
const peers = { id: 'peers', type: 'array', itemType: 'CollectionSelect', collection: 'deployments' };
const token = { id: 'token', type: 'CollectionSelect', collection: 'secrets' };

test.for([
  ['one that an input refers to', [peer], { peer: 'a' }, ['a']],
  ['each of a list once', [peer, peers], { peer: 'a', peers: ['b', 'a'] }, ['a', 'b']],
  ['none if nothing is chosen', [peer], {}, []],
  ['no secret', [token], { token: 's' }, []],
  ['none without a form', undefined, { peer: 'a' }, []],
] as const)('a deployment uses %s', ([, inputs, config, ids]) => {
  expect(
    usedIds(inputs === undefined ? undefined : structuredClone([...inputs]), structuredClone<never>(config as never)),
  ).toEqual(ids);
});
