import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: nonce, tag, ciphertext. `boundTo` must be the same when it is opened: sealed values do not move between rows. */
export function seal(key: Buffer, boundTo: string, plain: string | Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(boundTo));
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plain)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** Throws when the key is another one, or the value was changed or belongs elsewhere. */
export function unseal(key: Buffer, boundTo: string, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}

/** Opens with whichever of the keys fits: while one is being replaced, both are in use. Throws when none does. */
export function unsealWithAny(keys: readonly Buffer[], boundTo: string, sealed: Buffer): Buffer {
  const [key, ...others] = keys;
  if (key === undefined) throw new Error('There is no key to open it with');
  if (others.length === 0) return unseal(key, boundTo, sealed);
  try {
    return unseal(key, boundTo, sealed);
  } catch {
    return unsealWithAny(others, boundTo, sealed);
  }
}
