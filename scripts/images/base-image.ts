import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Component } from './content/bill-of-materials.ts';

const run = promisify(execFile);

const SUITE = 'bookworm';
const packages = ['libc6', 'libstdc++6', 'libgcc-s1', 'ca-certificates', 'tzdata', 'netbase', 'dash'];

/** Files that Node and Helm read, without programs and their dependencies. */
const kept = [
  './lib*',
  './usr/lib/*/libstdc++.so*',
  './usr/share/ca-certificates',
  './usr/share/doc/*/copyright',
  './usr/share/zoneinfo',
  './etc/protocols',
  './etc/services',
];
/** Dependencies of maintainer scripts, which no image runs. */
const withoutFiles = new Set(['debconf', 'debianutils', 'openssl', 'libssl3']);

export interface BaseImage {
  /** A folder to be copied into an empty image. */
  readonly folder: string;
  readonly components: readonly Component[];
  /** Additions for the runner, whose shell becomes Helm. */
  readonly shell: { readonly folder: string; readonly components: readonly Component[] };
}

export interface BaseImageRequest {
  readonly folder: string;
  /** The program in the version that the packages pin. */
  readonly node: { readonly program: string; readonly version: string };
  readonly epoch: number;
  readonly path: string | undefined;
  readonly signal: AbortSignal;
}

/**
 * A base image made from Debian's packages and the Node program, for machines that cannot pull a public image. It has no shell,
 * package manager or named users.
 */
export async function makeBaseImage({ folder, node, epoch, path, signal }: BaseImageRequest): Promise<BaseImage> {
  await rm(folder, { recursive: true, force: true });
  const root = join(folder, 'root');
  await mkdir(join(root, 'usr/local/bin'), { recursive: true });
  const archive = join(folder, 'packages.tar');
  const list = join(folder, 'packages.txt');
  const listPackages = `find "$1/var/cache/apt/archives" -name '*.deb' -printf '%f\\n' | sort > '${list}'`;
  const args = ['--variant=extract', '--quiet', `--include=${packages.join(',')}`, `--extract-hook=${listPackages}`];
  const env = { PATH: path, SOURCE_DATE_EPOCH: String(epoch), LC_ALL: 'C' };
  await run('mmdebstrap', [...args, SUITE, archive], { env, timeout: 300_000, signal });
  const chosen = ['--extract', '--file', archive, '--directory', root, '--no-same-owner', '--wildcards', ...kept];
  await run('tar', chosen, { timeout: 60_000, signal });
  const shell = join(folder, 'shell');
  await mkdir(shell);
  await run('tar', ['--extract', '--file', archive, '--directory', shell, '--no-same-owner', './bin/dash'], { signal });
  await rename(join(shell, 'bin/dash'), join(shell, 'bin/sh'));
  await joinAuthorities(root);
  await cp(node.program, join(root, 'usr/local/bin/node'), { dereference: true });
  const debs = (await readFile(list, 'utf8')).trim().split('\n').flatMap(debianComponent);
  await rm(archive);
  const isDash = ({ name }: Component) => name === 'dash';
  return {
    folder: root,
    components: [nodeComponent(node.version), ...debs.filter((component) => !isDash(component))],
    shell: { folder: shell, components: debs.filter(isDash) },
  };
}

/** The bundle that the script of `ca-certificates` would create, because Helm reads all authorities from one file. */
async function joinAuthorities(root: string): Promise<void> {
  const folder = join(root, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.crt')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  await mkdir(join(root, 'etc/ssl/certs'), { recursive: true });
  await writeFile(join(root, 'etc/ssl/certs/ca-certificates.crt'), texts.join(''));
}

const nodeComponent = (version: string): Component => {
  const purl = `pkg:generic/node@${version}`;
  return { type: 'application', name: 'node', version, purl, 'bom-ref': purl, licenses: [{ license: { id: 'MIT' } }] };
};

/** Such as `libc6_2.36-9+deb12u14_amd64.deb`; colons of versions are escaped in file names. */
function debianComponent(file: string): Component[] {
  const [name = '', escaped = '', architecture = ''] = file.replace(/\.deb$/, '').split('_');
  if (withoutFiles.has(name)) return [];
  const version = decodeURIComponent(escaped);
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=${SUITE}`;
  return [{ type: 'library', name, version, purl, 'bom-ref': purl }];
}
