import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export type TarEntry = Partial<Header> & { name: string; body?: string | Buffer };

/** A tar file of exactly these entries, however odd; the same entries make the same bytes. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  const bytes = buffer(tar);
  for (const { body = '', ...header } of entries) tar.entry({ mtime: new Date(0), ...header }, Buffer.from(body));
  tar.finalize();
  return bytes;
}

/** A packaged chart with these files, by their path below its folder. */
export async function chartTgz(files: Record<string, string>, folder = 'web'): Promise<Buffer> {
  return gzipSync(await tarOf(Object.entries(files).map(([path, body]) => ({ name: `${folder}/${path}`, body }))));
}

export const chartYaml = (fields: Record<string, unknown> = {}): string =>
  JSON.stringify({ apiVersion: 'v2', name: 'web', version: '1.2.3', ...fields });
