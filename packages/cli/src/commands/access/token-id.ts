/** The id of a token, which stands before its secret as the bytes of a UUID in base64url; null for a session. */
export function tokenId(token: string): string | null {
  const [id = '', ...rest] = token.split('.');
  if (rest.length !== 1) return null;
  const hex = Buffer.from(id, 'base64url').toString('hex');
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(hex)?.slice(1);
  return parts ? parts.join('-') : null;
}
