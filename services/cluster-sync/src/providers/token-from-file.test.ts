import { describeFailure } from '@berth/kube/describe-failure';
import { expect, test } from 'vitest';
import { tokenFromFile } from './token-from-file.ts';

test('a token file that cannot be read is the reason why its cluster is not reached', async () => {
  const { current } = tokenFromFile('/nowhere/token');

  const error: unknown = await current(AbortSignal.timeout(5_000)).catch((reason: unknown) => reason);

  expect(describeFailure(error, 'https://127.0.0.1:6443')).toBe(
    'there is no credential for 127.0.0.1:6443: the token file /nowhere/token cannot be read (ENOENT)',
  );
});
