import { expect, test } from 'vitest';
import { operationWord } from './operation-word.ts';

test('an operation has a plain name', () => {
  const restart = { RestartK8sResource: { resource_id: 'r', resource_name: 'web' } };
  expect(operationWord({ operation: restart })).toBe('Restart');
  expect(operationWord({ operation: { Install: { helm_chart_id: 'c' } } })).toBe('Install');
});
