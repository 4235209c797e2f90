import { expect, test } from 'vitest';
import { singleFlight, singleFlights } from './single-flight.ts';

test('concurrent calls share the work, and a later call starts it again', async () => {
  let runs = 0;
  const next = singleFlight(async () => {
    runs += 1;
    return runs;
  });

  expect(await Promise.all([next(), next()])).toEqual([1, 1]);
  expect(await next()).toBe(2);
});

test('a call after a failure starts the work again', async () => {
  let runs = 0;
  const next = singleFlight(async () => {
    runs += 1;
    if (runs === 1) throw new Error('not yet');
    return runs;
  });

  await expect(next()).rejects.toThrow('not yet');
  expect(await next()).toBe(2);
});

test('calls with different keys do not share work', async () => {
  const flights = singleFlights<string>();
  const started: string[] = [];
  const work = (name: string) => async () => {
    started.push(name);
    return name;
  };

  expect(
    await Promise.all([flights.run('a', work('a')), flights.run('b', work('b')), flights.run('a', work('c'))]),
  ).toEqual(['a', 'b', 'a']);
  expect(started).toEqual(['a', 'b']);
  expect(flights.underWay('a')).toBeUndefined();
});
