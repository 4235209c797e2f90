import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

export type TarEntry = Partial<Header> & { name: string; body?: string | Buffer };

/** A tar file of exactly these entries, even invalid ones; the same entries give the same bytes. */
export async function tarOf(entries: readonly TarEntry[]): Promise<Buffer> {
  const tar = pack();
  const bytes = buffer(tar);
  for (const { body = '', ...header } of entries) tar.entry({ mtime: new Date(0), ...header }, Buffer.from(body));
  tar.finalize();
  return bytes;
}

/** A pax header of a tar file: `g` applies to all later entries, `x` to the next one. */
export function tarHeader(type: 'g' | 'x', records: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(`${Buffer.byteLength(records).toString(8).padStart(11, '0')} `, 124);
  header.write(type, 156);
  header.write('ustar\u000000', 257);
  const sum = header.reduce((total, byte) => total + byte, 8 * ' '.charCodeAt(0));
  header.write(`${sum.toString(8).padStart(6, '0')} `, 148);
  const padding = Buffer.alloc((512 - (Buffer.byteLength(records) % 512)) % 512);
  return Buffer.concat([header, Buffer.from(records), padding]);
}

/** A packaged chart with these files, by their path below its folder. */
export async function chartTgz(files: Record<string, string | Buffer>, folder = 'web'): Promise<Buffer> {
  return gzipSync(await tarOf(Object.entries(files).map(([path, body]) => ({ name: `${folder}/${path}`, body }))));
}

export const chartYaml = (fields: Record<string, unknown> = {}): string =>
  JSON.stringify({ apiVersion: 'v2', name: 'web', version: '1.2.3', ...fields });
