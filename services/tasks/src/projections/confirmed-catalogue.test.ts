import { AppError } from '@berth/contracts/errors';
import { expect, test } from 'vitest';
import { CatalogueRefusal, type CatalogueNames } from '../errors/catalogue-refusal.ts';
import { confirmedCatalogue } from './confirmed-catalogue.ts';

const scope = { requestId: 'r', remainingMs: () => 1_000 };
const noKind = new CatalogueRefusal({ kind_id: 'k1' }, 'body.kind_id', 'no such deployment kind');
const noChart = new CatalogueRefusal({ helm_chart_id: 'h1' }, 'body.helm_chart_id', 'no such chart');

/** Work that is refused so, one refusal after the other. */
async function attempted(...refusals: AppError[]) {
  const confirmed: CatalogueNames[] = [];
  const left = [...refusals];
  const work = async () => {
    const refusal = left.shift();
    if (refusal) throw refusal;
    return 'done';
  };
  const catalogue = async (names: CatalogueNames) => void confirmed.push(names);
  const outcome = await confirmedCatalogue(work, { catalogue }, scope).catch((error: unknown) => error);
  return { outcome, confirmed };
}

test('a kind and a chart that are not here yet are confirmed one after the other', async () => {
  expect(await attempted(noKind, noChart)).toEqual({
    outcome: 'done',
    confirmed: [{ kind_id: 'k1' }, { helm_chart_id: 'h1' }],
  });
});

test('what was confirmed and is still refused is refused', async () => {
  expect(await attempted(noChart, noChart)).toEqual({ outcome: noChart, confirmed: [{ helm_chart_id: 'h1' }] });
});

test('any other refusal is not a reason to confirm anything', async () => {
  const other = new AppError('unprocessable', 'body.name: must not be empty');

  expect(await attempted(other)).toEqual({ outcome: other, confirmed: [] });
});
