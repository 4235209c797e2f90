import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { NODE_ADDRESS, SERVICE_NETWORK } from '../kubernetes/addresses.ts';
import { NODE_INTERFACE, POD_NETWORK } from './node-configuration.ts';

const run = promisify(execFile);

/** The address of the node, where pods reach this machine; removed with the stack. */
export async function makeInterface(stack: AsyncDisposableStack): Promise<void> {
  const ip = (...args: string[]) => run('ip', args, { timeout: 10_000 });
  await ip('link', 'delete', NODE_INTERFACE).catch(() => undefined);
  await ip('link', 'add', NODE_INTERFACE, 'type', 'bridge');
  stack.defer(async () => void (await ip('link', 'delete', NODE_INTERFACE)));
  await ip('address', 'add', `${NODE_ADDRESS}/32`, 'dev', NODE_INTERFACE);
  await ip('link', 'set', NODE_INTERFACE, 'up');
  const forwarding = '/proc/sys/net/ipv4/ip_forward';
  const before = await readFile(forwarding, 'utf8');
  await writeFile(forwarding, '1');
  stack.defer(() => writeFile(forwarding, before));
}

/**
 * Refuses traffic to pods and services that do not exist: the default route would lead it out of the machine. Services match
 * earlier rules, and pods have their own routes.
 */
export async function keepInside(stack: AsyncDisposableStack): Promise<void> {
  const route = ['unreachable', POD_NETWORK];
  await run('ip', ['route', 'replace', ...route], { timeout: 10_000 });
  stack.defer(async () => void (await run('ip', ['route', 'delete', ...route], { timeout: 10_000 })));
  for (const chain of ['OUTPUT', 'FORWARD']) {
    const rule = [chain, '--destination', SERVICE_NETWORK, '--jump', 'REJECT'];
    const iptables = (action: string) => run('iptables', ['--wait', action, ...rule], { timeout: 60_000 });
    // Removes the interface of a node that was killed.
    await iptables('--delete').catch(() => undefined);
    await iptables('--append');
    stack.defer(async () => void (await iptables('--delete')));
  }
}
