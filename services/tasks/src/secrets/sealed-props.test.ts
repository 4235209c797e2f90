import { expect, test } from 'vitest';
import { textsIn } from './sealed-props.ts';

test('a long list does not leave out the texts behind it', () => {
  const rows = [{ hosts: Array.from({ length: 20_000 }, (_, index) => `host-${index}`) }, { login: { pin: 4711 } }];

  expect(textsIn(rows)).toHaveLength(20_001);
  expect(textsIn(rows)).toContain('4711');
});
