import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { z } from 'zod';
import { NODE_ADDRESS, SERVICE_NETWORK } from '../kubernetes/addresses.ts';
import { NODE_INTERFACE, POD_NETWORK } from './node-configuration.ts';

const run = promisify(execFile);

/** The address of the node, where pods reach this machine. */
export async function makeInterface(): Promise<void> {
  const ip = (...args: string[]) => run('ip', args, { timeout: 10_000 });
  await ip('link', 'add', NODE_INTERFACE, 'type', 'bridge');
  await ip('address', 'add', `${NODE_ADDRESS}/32`, 'dev', NODE_INTERFACE);
  await ip('link', 'set', NODE_INTERFACE, 'up');
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
}

/**
 * Refuses traffic to pods and services that do not exist: the default route would lead it out of the machine. Services match
 * earlier rules, and pods have their own routes.
 */
export async function keepInside(): Promise<void> {
  await run('ip', ['route', 'replace', 'unreachable', POD_NETWORK], { timeout: 10_000 });
  for (const chain of ['OUTPUT', 'FORWARD']) {
    const rule = [chain, '--destination', SERVICE_NETWORK, '--jump', 'REJECT'];
    await run('iptables', ['--wait', '--append', ...rule], { timeout: 60_000 });
  }
}

const Routes = z.array(z.object({ dst: z.string(), dev: z.string().optional(), type: z.string().optional() }));

/**
 * Removes the interfaces that lead to pods. Without it each ends some time after the namespace of its pod; until then it would get the
 * traffic to a later pod with the same address.
 */
export async function removePodInterfaces(): Promise<void> {
  const { stdout } = await run('ip', ['-json', 'route', 'show', 'root', POD_NETWORK], { timeout: 10_000 });
  const routes = Routes.parse(stdout.trim() === '' ? [] : JSON.parse(stdout));
  for (const { dev, type } of routes) {
    if (dev === undefined || type === 'unreachable') continue;
    // One whose namespace has just ended is gone.
    await run('ip', ['link', 'delete', dev], { timeout: 10_000 }).catch(() => undefined);
  }
}
