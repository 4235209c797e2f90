import { type JsonValue, sameJson } from '@berth/contracts/fields/json';

/** The server drops empty and zero values of a request. */
export function isUnset(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '' || value === false || value === 0) return true;
  return typeof value === 'object' && Object.values(value).every(isUnset);
}

/** Whether the server would make the live value of the wanted one. */
export function isSame(wanted: JsonValue, live: JsonValue | undefined, path: readonly string[]): boolean {
  if (live === undefined || live === null) return isUnset(wanted);
  if (sameJson(wanted, live)) return true;
  return path.some((name) => holdsQuantities.has(name)) && isSameQuantity(wanted, live);
}

/** Fields in which the server normalizes quantities: `1000m` becomes `1`. */
const holdsQuantities: ReadonlySet<string> = new Set([
  'limits',
  'requests',
  'hard',
  'capacity',
  'sizeLimit',
  'averageValue',
  'default',
  'defaultRequest',
]);

function isSameQuantity(a: JsonValue, b: JsonValue): boolean {
  const [one, other] = [quantityOf(a), quantityOf(b)];
  return one !== null && one === other;
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** Rounded, since thousandths are not exact in binary. */
function quantityOf(value: JsonValue): number | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const match = /^([+-]?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,2})?)([numkMGTPE]?i?)$/.exec(String(value));
  const unit = units[match?.[2] ?? ''];
  return match && unit !== undefined ? Number((Number(match[1]) * unit).toPrecision(12)) : null;
}
