import { expect, test } from 'vitest';
import { credentialStep, type SecretState } from './credential-step.ts';

const secrets: SecretState[] = ['absent', 'intact', 'altered', 'of_chart'];
const now = 1_000_000;

test('the step of credentials follows from the Secret, the refresh and the hold', () => {
  const rows = secrets.flatMap((secret) =>
    (['due', 'later'] as const).flatMap((refresh) =>
      (['held', 'free'] as const).map((hold) => {
        const facts = {
          secret,
          differsSince: now - 1_000,
          refreshAt: refresh === 'due' ? now : now + 1,
          notBefore: hold === 'held' ? now + 1 : now,
        };
        const step = credentialStep(facts, now);
        const words = step.step === 'rest' ? 'rest' : `write within ${(step.deadline - now) / 1_000} s`;
        return `${secret} ${refresh} ${hold}: ${words}`;
      }),
    ),
  );

  expect(rows).toEqual([
    'absent due held: rest',
    'absent due free: write within 19 s',
    'absent later held: rest',
    'absent later free: write within 19 s',
    'intact due held: rest',
    'intact due free: write within 300 s',
    'intact later held: rest',
    'intact later free: rest',
    'altered due held: rest',
    'altered due free: write within 19 s',
    'altered later held: rest',
    'altered later free: write within 19 s',
    'of_chart due held: rest',
    'of_chart due free: rest',
    'of_chart later held: rest',
    'of_chart later free: rest',
  ]);
});
