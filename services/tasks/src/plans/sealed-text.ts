import { seal, unseal } from '@berth/db/sealing/seal';
import { KeyIsMissing } from '../secrets/sealed-contents.ts';
import type { SecretKeys } from '../secrets/secret-keys.ts';

/** For texts that are stored for seconds: the key's name and the text sealed under it. */
export const sealText = ({ current }: SecretKeys, boundTo: string, text: string): string =>
  `${current.id} ${seal(current.wrapping, boundTo, text).toString('base64')}`;

/** Throws if it was changed outside Berth, and `KeyIsMissing` if its key is not configured. */
export function openText(keys: SecretKeys, boundTo: string, sealed: string): string {
  const [keyId = '', content = ''] = sealed.split(' ');
  const key = keys.wrappingKey(keyId);
  if (!key) throw new KeyIsMissing(`There is no key ${keyId}`);
  return unseal(key, boundTo, Buffer.from(content, 'base64')).toString('utf8');
}
