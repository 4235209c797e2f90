import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, isFreePort, reservePort } from '@berth/testing/network/free-port';
import { z } from 'zod';

// The server of a killed start may still be ending. Clients configured with its port should find the next server there.
const PATIENCE_MS = 5_000;

/** One free loopback port per name. Ports of the last start are kept unless another process has taken them. */
export async function rememberedPorts<Name extends string>(
  file: string,
  names: readonly Name[],
): Promise<Record<Name, number>> {
  const before = await readRecord(file, z.int());
  const giveUp = performance.now() + PATIENCE_MS;
  const ports: Record<string, number> = {};
  for (const name of names) {
    ports[name] = (await sameAgain(before[name], giveUp)) ?? (await freePort());
  }
  await writePrivately(file, JSON.stringify(ports, null, 2));
  return z.record(z.enum(names), z.int()).parse(ports);
}

/** One random secret per name, the same at every start, in a file that only its owner can read. */
export async function rememberedSecrets<Name extends string>(
  file: string,
  names: readonly Name[],
): Promise<Record<Name, string>> {
  const before = await readRecord(file, z.string().min(16));
  const secrets = Object.fromEntries(
    names.map((name) => [name, before[name] ?? randomBytes(24).toString('base64url')]),
  );
  await writePrivately(file, JSON.stringify(secrets, null, 2));
  return z.record(z.enum(names), z.string()).parse(secrets);
}

async function sameAgain(port: number | undefined, giveUp: number): Promise<number | undefined> {
  if (port === undefined) return undefined;
  reservePort(port);
  while (!(await isFreePort(port))) {
    if (performance.now() > giveUp) return undefined;
    await delay(100);
  }
  return port;
}

async function readRecord<Value>(file: string, value: z.ZodType<Value>): Promise<Record<string, Value | undefined>> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  return z.record(z.string(), value).parse(JSON.parse(text));
}

/** Renamed into place, so that an interrupted start leaves the old file. */
export async function writePrivately(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content, { mode: 0o600 });
  await rename(`${file}.new`, file);
}
