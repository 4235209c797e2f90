import { expect, test } from 'vitest';
import { unwellByEnv } from './unwell-by-env.ts';

const page = (envs: string[], num_total = envs.length) => ({ items: envs.map((env_id) => ({ env_id })), num_total });

test('what needs attention is counted for each env', () => {
  expect([...unwellByEnv(page(['a', 'b', 'a']))]).toEqual([
    ['a', '2'],
    ['b', '1'],
  ]);
  expect(unwellByEnv(undefined).size).toBe(0);
});

test('if there are more than were read, a count is a minimum', () => {
  expect(unwellByEnv(page(['a', 'a'], 3)).get('a')).toBe('2+');
});
