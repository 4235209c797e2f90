import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCommand } from '@stricli/core';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { kindOf } from '../../names/kind-named.ts';
import { resolve } from '../../names/resolve.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';

interface Flags extends ConnectionFlags {
  env?: readonly string[];
  to?: string;
  overwrite?: boolean;
}

export const exportCommand = buildCommand<Flags, [], Cli>({
  docs: {
    brief: 'Write the envs of a platform as documents for apply',
    fullDescription: [
      'Write envs with all that they contain, and bots, as documents for `berth apply`: to standard output, or to a folder with a file for each env. Contents of secrets cannot be read; the documents name environment variables from which `berth apply` takes them.',
      '',
      '  berth export -e prod --to envs/prod',
      '  berth export -e prod',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: { kind: 'parsed', parse: String, brief: 'Only this env; may be repeated', variadic: true, optional: true },
      to: { kind: 'parsed', parse: String, brief: 'The folder to write to, created if it is missing', optional: true },
      overwrite: {
        kind: 'boolean',
        brief: 'Overwrite files of the same names in the folder',
        optional: true,
        withNegated: false,
      },
    },
    aliases: { e: 'env' },
  },
  async func({ env, to, overwrite = false, ...flags }) {
    const [{ readPlatform }, { liveSet }, { exportFiles }] = await Promise.all([
      import('../../sets/live/read-platform.ts'),
      import('../../sets/live/live-set.ts'),
      import('../../sets/live/export-files.ts'),
    ]);
    const client = await connect(this, flags);
    const chosen = env && (await Promise.all(env.map((name) => resolve(client, kindOf('envs'), name))));
    const envs = chosen ? new Set(chosen.map(({ name }) => String(name))) : null;
    const platform = await readPlatform(client, { envs, charts: [] });
    const { files, variables } = exportFiles(liveSet(platform), envs);
    if (to === undefined) print(this, [...files.values()].join('---\n').trimEnd());
    else await writeFiles(to, files, overwrite);
    if (to !== undefined) say(this, `wrote ${[...files.keys()].join(', ')} to ${to}`);
    if (variables.length > 0) say(this, `secrets are not exported; apply writes them from ${variables.join(', ')}`);
  },
});

async function writeFiles(folder: string, files: ReadonlyMap<string, string>, overwrite: boolean): Promise<void> {
  await mkdir(folder, { recursive: true });
  const present = (await readdir(folder)).filter((name) => /\.ya?ml$/.test(name));
  if (!overwrite && present.length > 0)
    throw new CliFailure(
      'refused',
      `${folder} holds ${present.join(', ')}: --overwrite replaces files of the same names`,
    );
  for (const [name, text] of files) await writeFile(join(folder, name), text);
}
