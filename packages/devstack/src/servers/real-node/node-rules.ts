import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { SERVICE_NETWORK } from '../kubernetes/addresses.ts';
import { ServerFailed } from '../server-failed.ts';
import { POD_NETWORK, POD_NETWORK_NAME } from './node-configuration.ts';

const run = promisify(execFile);

const saved = async () => (await run('iptables-save', [], { timeout: 60_000, maxBuffer: 64 * 1024 ** 2 })).stdout;

/** Whether something on this machine has made rules as kubelet and kube-proxy make them. */
export const hasKubeRules = async (): Promise<boolean> => /^:KUBE-/m.test(await saved());

/** Removes the rules of a node: those of its pods, its refusals, and with `kube` those of kubelet and kube-proxy. */
export async function removeRules({ kube }: { kube: boolean }): Promise<void> {
  const text = withoutNode(await saved(), kube);
  if (text !== '') await restore(text);
  await run('ip', ['route', 'delete', 'unreachable', POD_NETWORK], { timeout: 10_000 }).catch(() => undefined);
}

/** The input of `iptables-restore` that removes these rules, from the output of `iptables-save`; empty if there are none. */
export function withoutNode(rules: string, kube: boolean): string {
  return rules
    .split(/^(?=\*)/m)
    .map((table) => withoutNodeIn(table.split('\n'), kube))
    .join('');
}

function withoutNodeIn(table: string[], kube: boolean): string {
  const added = table.filter((line) => line.startsWith('-A '));
  const ofPods = added.filter((line) => line.includes(`name: \\"${POD_NETWORK_NAME}\\"`));
  // The plugins make a chain for each pod, and name the network in each rule of it and in the one that leads to it.
  const chains = new Set(ofPods.flatMap((line) => line.match(/\bCNI-(?:DN-)?[0-9a-f]{21,24}\b/g) ?? []));
  if (kube) for (const line of table) for (const [, chain = ''] of line.matchAll(/^:(KUBE-\S+)/g)) chains.add(chain);
  const refusal = new RegExp(`^-A (OUTPUT|FORWARD) -d ${SERVICE_NETWORK.replaceAll('.', '\\.')} -j REJECT`);
  const leadsThere = (line: string) => chains.has(/ -[jg] (\S+)/.exec(line)?.[1] ?? '');
  const isOf = (line: string) => chains.has(line.split(' ')[1] ?? '');
  const removed = added.filter((line) => !isOf(line) && (leadsThere(line) || refusal.test(line)));
  if (removed.length + chains.size === 0) return '';
  return [
    table[0],
    // Named like this, a chain is emptied.
    ...[...chains].map((chain) => `:${chain} - [0:0]`),
    ...removed.map((line) => line.replace('-A', '-D')),
    ...[...chains].map((chain) => `-X ${chain}`),
    'COMMIT',
    '',
  ].join('\n');
}

async function restore(text: string): Promise<void> {
  const child = spawn('iptables-restore', ['--noflush', '--wait'], { stdio: ['pipe', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  child.stdin.end(text);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new ServerFailed(`iptables-restore: ${output.trim()}`);
}
