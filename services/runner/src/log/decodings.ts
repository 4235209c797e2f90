/** A line, plain or decoded. */
export interface Decoded {
  units: Uint16Array;
  /** Where each unit begins in the original line, and the end of the line; null if the positions are the same. */
  starts: Int32Array | null;
}

const backslash = 0x5c;
const percent = 0x25;
const plus = 0x2b;
const space = 0x20;

/** All readings of a line: plain, with base64 of URLs as usual base64, unescaped once and twice, and percent-decoded. */
export function* decodingsOf(units: Uint16Array): Generator<Decoded> {
  const line = { units, starts: null };
  yield line;
  if (units.includes(0x2d) || units.includes(0x5f)) yield { ...line, units: units.map(usualBase64) };
  if (units.includes(backslash)) {
    const once = unescaped(line);
    yield once;
    if (once.units.includes(backslash)) yield unescaped(once);
  }
  if (units.includes(percent)) {
    const decoded = percentDecoded(line);
    yield decoded;
    if (units.includes(plus))
      yield percentDecoded({ ...line, units: units.map((unit) => (unit === plus ? space : unit)) });
  }
}

const usualBase64 = (unit: number): number => (unit === 0x2d ? 0x2b : unit === 0x5f ? 0x2f : unit);

/** Escapes of one letter in JSON, Go and YAML. */
const ofLetters = new Map(
  Object.entries({ 0: 0, a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, e: 27, N: 0x85, _: 0xa0, L: 0x2028, P: 0x2029 })
    .concat([...` "'/\\`].map((letter) => [letter, letter.charCodeAt(0)]))
    .map(([letter, unit]) => [letter.charCodeAt(0), unit]),
);
const digitsAfter = new Map([
  [0x78, 2],
  [0x75, 4],
  [0x55, 8],
]);

/** Decodes escapes of JSON, YAML and Go; other text stays. */
function unescaped({ units, starts }: Decoded): Decoded {
  const decoded = createDecoded(units.length, starts);
  for (let at = 0; at < units.length; ) {
    const letter = units[at] === backslash ? (units[at + 1] ?? 0) : 0;
    const digits = digitsAfter.get(letter);
    const point = digits === undefined ? ofLetters.get(letter) : hexAt(units, at + 2, digits);
    if (letter === 0 || point === undefined || point > 0x10_ffff) {
      decoded.push(units[at] ?? 0, at);
      at += 1;
    } else {
      decoded.push(point, at);
      at += 2 + (digits ?? 0);
    }
  }
  return decoded.end();
}

/** Decodes percent-encoded UTF-8; other text stays. */
function percentDecoded({ units, starts }: Decoded): Decoded {
  const decoded = createDecoded(units.length, starts);
  for (let at = 0; at < units.length; ) {
    const lead = byteAt(units, at);
    const wanted = lead === undefined ? 0 : lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    // A byte that does not begin a character stands alone, and takes nothing of what follows.
    const more = isContinued(units, at, wanted) ? wanted : 0;
    let point = lead === undefined ? (units[at] ?? 0) : more === 0 ? lead : lead & (0x3f >> more);
    for (let next = 1; next <= more; next += 1) point = (point << 6) | ((byteAt(units, at + 3 * next) ?? 0) & 0x3f);
    decoded.push(Math.min(point, 0x10_ffff), at);
    at += lead === undefined ? 1 : 3 * (1 + more);
  }
  return decoded.end();
}

function isContinued(units: Uint16Array, at: number, more: number): boolean {
  for (let next = 1; next <= more; next += 1) {
    if (((byteAt(units, at + 3 * next) ?? 0) & 0xc0) !== 0x80) return false;
  }
  return true;
}

const byteAt = (units: Uint16Array, at: number): number | undefined =>
  units[at] === percent ? hexAt(units, at + 1, 2) : undefined;

function hexAt(units: Uint16Array, at: number, digits: number): number | undefined {
  let value = 0;
  for (let index = at; index < at + digits; index += 1) {
    const digit = digitOf(units[index] ?? 0);
    if (digit < 0) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

function digitOf(unit: number): number {
  if (unit >= 0x30 && unit <= 0x39) return unit - 0x30;
  const lower = unit | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

/** Collects the decoded units, which are never more than those of the line. */
function createDecoded(length: number, starts: Int32Array | null) {
  const units = new Uint16Array(length);
  const from = new Int32Array(length + 1);
  let size = 0;
  const add = (unit: number, at: number): void => {
    units[size] = unit;
    from[size] = starts?.[at] ?? at;
    size += 1;
  };
  return {
    push(point: number, at: number): void {
      if (point <= 0xffff) return add(point, at);
      add(0xd800 + ((point - 0x1_0000) >> 10), at);
      add(0xdc00 + ((point - 0x1_0000) & 0x3ff), at);
    },
    end(): Decoded {
      from[size] = starts?.at(-1) ?? length;
      return { units: units.subarray(0, size), starts: from.subarray(0, size + 1) };
    },
  };
}
