import { chmod, copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Component } from './bill-of-materials.ts';

/** Adds Helm to the content of an image; returns Helm and the Go modules that its binary lists. */
export async function addHelm(folder: string, helm: { program: string; version: string }): Promise<Component[]> {
  const target = join(folder, 'bin', 'helm');
  await mkdir(join(folder, 'bin'), { recursive: true });
  await copyFile(helm.program, target);
  await chmod(target, 0o755);
  return [goModule('helm.sh/helm/v4', `v${helm.version}`, 'application'), ...modulesOf(await readFile(target))];
}

/** Go embeds a program's modules in it as lines between two marks: `dep<tab>module<tab>version<tab>sum`. */
function modulesOf(program: Buffer): Component[] {
  const start = program.indexOf('path\thelm.sh/helm/v4/cmd/helm\n');
  if (start < 0) return [];
  const lines: string[] = [];
  for (let from = start; ; ) {
    const end = program.indexOf('\n', from);
    const line = program.toString('utf8', from, end);
    if (end < 0 || !/^(path|mod|dep|=>|build)\t/.test(line)) break;
    lines.push(line);
    from = end + 1;
  }
  const known = new Map<string, Component>();
  for (const line of lines) {
    const [kind, name = '', version = ''] = line.split('\t');
    if (kind !== 'dep' && kind !== '=>') continue;
    const component = goModule(name, version, 'library');
    known.set(component['bom-ref'], component);
  }
  return [...known.values()];
}

function goModule(name: string, version: string, type: string): Component {
  const purl = `pkg:golang/${name}@${encodeURIComponent(version)}`;
  return { type, name, version, purl, 'bom-ref': purl };
}
