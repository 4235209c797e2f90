import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

/** AES-256-GCM: nonce, tag, ciphertext. Opening needs the same `boundTo`, so sealed values cannot be moved between rows. */
export function seal(key: Buffer, boundTo: string, plain: string | Buffer): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes }).setAAD(Buffer.from(boundTo));
  const ciphertext = Buffer.concat([cipher.update(Buffer.from(plain)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** Throws if the key is a different one, or if the value was changed or moved. */
export function unseal(key: Buffer, boundTo: string, sealed: Buffer): Buffer {
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: tagBytes })
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(tag);
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
}

class NoKey extends Error {
  override readonly name = 'NoKey';

  constructor() {
    super('There is no key to open a sealed value with');
  }
}

/** Opens with any of the keys that fits: two are in use while one is being replaced. Throws if none fits. */
export function unsealWithAny(keys: readonly Buffer[], boundTo: string, sealed: Buffer): Buffer {
  const [key, ...others] = keys;
  if (key === undefined) throw new NoKey();
  if (others.length === 0) return unseal(key, boundTo, sealed);
  try {
    return unseal(key, boundTo, sealed);
  } catch {
    return unsealWithAny(others, boundTo, sealed);
  }
}
