import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { ServerUnavailable } from './server-unavailable.ts';

// Below the ephemeral ports, so that no outgoing connection takes one before its server listens.
const FIRST_PORT = 15_000;
const LAST_PORT = 30_000;
const ATTEMPTS = 50;

// Servers start in parallel, so a port counts as taken once it is reserved, long before its server listens.
const reserved = new Set<number>();

/** A loopback port on which nothing listens, and which this process hands out only once. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (reserved.has(port)) continue;
    reserved.add(port);
    if (await isFreePort(port)) return port;
  }
  throw new ServerUnavailable(`no free port between ${FIRST_PORT} and ${LAST_PORT} in ${ATTEMPTS} attempts`);
}

/** Reserves a port that a server of this process had before and gets again. */
export function reservePort(port: number): void {
  reserved.add(port);
}

export async function isFreePort(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
