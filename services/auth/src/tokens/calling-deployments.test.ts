import type { Bus } from '@berth/bus/bus';
import { AppError } from '@berth/contracts/errors';
import { expect, test } from 'vitest';
import { createCallingDeployments, mostAtOnce } from './calling-deployments.ts';

test('a limited number of requests wait for tasks; further ones are refused until one of them is answered', async () => {
  const waiting: ((error: AppError) => void)[] = [];
  const call: Bus['call'] = () => new Promise((_, reject) => waiting.push(reject));
  const { find } = createCallingDeployments({ bus: { call } });
  const burst = Array.from({ length: mostAtOnce + 1 }, (_, n) => find(`deployment ${n}`));

  expect(waiting).toHaveLength(mostAtOnce);
  await expect(burst.pop()).rejects.toMatchObject({ code: 'unavailable' });

  waiting.shift()?.(new AppError('timeout', 'too late'));
  await expect(burst.shift()).rejects.toMatchObject({ code: 'unavailable' });
  const next = find('one more');
  expect(waiting).toHaveLength(mostAtOnce);

  for (const giveUp of waiting) giveUp(new AppError('timeout', 'too late'));
  await Promise.allSettled([...burst, next]);
});
