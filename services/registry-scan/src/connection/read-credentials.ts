import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { RegistryError } from './registry-error.ts';

export const Credentials = z.object({ username: z.string().min(1), password: z.string().min(1) });
export type Credentials = z.infer<typeof Credentials>;

/** Reads the credentials whenever they are needed, so that they can be rotated; null if there are none. */
export type ReadCredentials = () => Promise<Credentials | null>;

/** Reads the credentials from their file; null if none is configured. Errors name the file, never its content. */
export const credentialsFile =
  (file: string | undefined): ReadCredentials =>
  async () => {
    if (file === undefined) return null;
    try {
      return Credentials.parse(JSON.parse(await readFile(file, 'utf8')));
    } catch {
      throw new RegistryError('denied', `${file} cannot be read, or is not JSON with "username" and "password"`);
    }
  };

export const basicAuthorization = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
