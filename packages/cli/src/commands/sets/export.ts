import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCommand } from '@stricli/core';
import { connect, connectionFlags, type ConnectionFlags } from '../../connection/connect.ts';
import { CliFailure } from '../../failure/cli-failure.ts';
import { type Cli, print, say } from '../../terminal/cli.ts';

interface Flags extends ConnectionFlags {
  env?: readonly string[];
  to?: string;
  overwrite?: boolean;
}

export const exportCommand = buildCommand<Flags, [], Cli>({
  docs: {
    brief: 'Write what is there as documents for apply',
    fullDescription: [
      'Write envs with all that they hold, and bots, as documents for `berth apply`: to standard output, or to a folder with a file for each env. Contents of secrets are never read; their documents name the environment variables that apply would take them from.',
      '',
      '  berth export -e prod --to envs/prod',
      '  berth export -e prod',
    ].join('\n'),
  },
  parameters: {
    flags: {
      ...connectionFlags,
      env: { kind: 'parsed', parse: String, brief: 'Only this env; may be repeated', variadic: true, optional: true },
      to: { kind: 'parsed', parse: String, brief: 'A folder, made where it is missing', optional: true },
      overwrite: {
        kind: 'boolean',
        brief: 'Replace files of the folder that have the same names',
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
    const envs = env === undefined ? null : new Set(env);
    const platform = await readPlatform(client, { envs, charts: [] });
    const unknown = env?.find((name) => !platform.envs.some((one) => one.name === name));
    if (unknown !== undefined) throw new CliFailure('refused', `there is no env ${unknown}`);
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
