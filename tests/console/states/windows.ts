import { type Grounds, visitAs } from '../browser/grounds.ts';
import type { Visitor } from '../browser/visitor.ts';
import { type Look, looker } from './look.ts';

/** Returns what is wrong at an address. */
type Check = (path: string) => Promise<string[]>;

/** This many keep two processors busy. */
const windows = 2;

/** Returns what is wrong at these addresses, which several windows of one person check in parallel. */
export async function inWindows(
  grounds: Grounds,
  name: string,
  paths: readonly string[],
  begin: (guest: Visitor, look: Look) => Promise<Check> | Check,
): Promise<string[]> {
  const left = paths.values();
  const found: string[] = [];
  const work = async () => {
    await using guest = await visitAs(grounds, name, '/');
    const check = await begin(guest, await looker(guest.page));
    for (const path of left) found.push(...(await check(path)));
  };
  await Promise.all(Array.from({ length: windows }, work));
  return found;
}
