import { readFile, rename, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { isJsonObject, parsedJson } from '@berth/contracts/fields/json';
import { CliFailure } from '../../failure/cli-failure.ts';

/** Which rows belong to a set: those that it created, or that it was told to own. Kept beside its documents, in Git. */
export interface SetRecord {
  name: string;
  /** Ids by key, for each platform that the set was applied to. */
  platforms: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const fileName = 'berth-set.json';
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** If the file is missing, nothing belongs to the set, so `--prune` deletes nothing. */
export async function readSetRecord(folder: string): Promise<SetRecord> {
  const file = join(folder, fileName);
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      return { name: basename(resolve(folder)), platforms: {} };
    throw new CliFailure('usage', `${file} cannot be read`, { cause });
  }
  const content = parsedJson(text);
  if (!isRecord(content))
    throw new CliFailure(
      'usage',
      `${file} is damaged: restore it from Git, or remove it to forget what belongs to the set`,
    );
  return content;
}

function isRecord(content: unknown): content is SetRecord {
  if (!isJsonObject(content)) return false;
  const { name, platforms } = content;
  const isIds = (ids: unknown): boolean =>
    isJsonObject(ids) && Object.values(ids).every((id) => typeof id === 'string' && uuid.test(id));
  return typeof name === 'string' && name !== '' && isJsonObject(platforms) && Object.values(platforms).every(isIds);
}

/** Replaced at once and with sorted keys, so that a killed command damages nothing and Git shows only what changed. */
async function writeSetRecord(folder: string, { name, platforms }: SetRecord): Promise<void> {
  const file = join(folder, fileName);
  const sorted = Object.entries(platforms).map(([url, ids]) => [
    url,
    Object.fromEntries(Object.entries(ids).toSorted(byKey)),
  ]);
  const written = `${file}.${process.pid}`;
  try {
    await writeFile(written, `${JSON.stringify({ name, platforms: Object.fromEntries(sorted) }, null, 2)}\n`);
    await rename(written, file);
  } catch (cause) {
    throw new CliFailure('usage', `${file} cannot be written, so the set cannot record which rows it owns`, { cause });
  }
}

const byKey = ([a]: [string, string], [b]: [string, string]): number => (a < b ? -1 : 1);

export interface Recorder {
  add(key: string, id: string): Promise<void>;
  remove(key: string): Promise<void>;
}

/**
 * Writes the record at once, so that a read-only folder is noticed before anything is done, and again after each row, so that a
 * killed command forgets nothing.
 */
export async function createRecorder(
  folder: string,
  { record, url, owned }: { record: SetRecord; url: string; owned: Readonly<Record<string, string>> },
): Promise<Recorder> {
  const ids = new Map(Object.entries(owned));
  const write = () => {
    const platforms = { ...record.platforms, [url]: Object.fromEntries(ids) };
    return writeSetRecord(folder, { ...record, platforms });
  };
  await write();
  return {
    add(key, id) {
      ids.set(key, id);
      return write();
    },
    remove(key) {
      return ids.delete(key) ? write() : Promise.resolve();
    },
  };
}
