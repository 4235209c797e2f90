import { AppError } from '@berth/contracts/errors';
import { expect, test } from 'vitest';
import { CatalogueRefusal, type CatalogueNames } from '../errors/catalogue-refusal.ts';
import { confirmedCatalogue } from './confirmed-catalogue.ts';

const scope = { requestId: 'r', remainingMs: () => 1_000 };
const noKind = new CatalogueRefusal({ kind_id: 'k1' }, 'body.kind_id', 'no such deployment kind');
const noChart = new CatalogueRefusal({ helm_chart_id: 'h1' }, 'body.helm_chart_id', 'no such chart');

/** Does work whose attempts meet these refusals in turn; resolves to its outcome and the confirmed names. */
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

test('an unknown kind and an unknown chart are confirmed one after the other', async () => {
  expect(await attempted(noKind, noChart)).toEqual({
    outcome: 'done',
    confirmed: [{ kind_id: 'k1' }, { helm_chart_id: 'h1' }],
  });
});

test('a name that is refused again after its confirmation stays refused', async () => {
  expect(await attempted(noChart, noChart)).toEqual({ outcome: noChart, confirmed: [{ helm_chart_id: 'h1' }] });
});

test('other refusals lead to no confirmation', async () => {
  const other = new AppError('unprocessable', 'body.name: must not be empty');

  expect(await attempted(other)).toEqual({ outcome: other, confirmed: [] });
});
