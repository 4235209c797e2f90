type Claims = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

/** Whether the ID token has all required claims, including `email_verified`. */
export const isComplete = ({ email, name, email_verified }: Claims): boolean =>
  isText(email) && isText(name) && typeof email_verified === 'boolean';

/** Signed claims take precedence; null counts as absent. */
export const claimsOfBoth = (idToken: Claims, userInfo: Claims): Claims => ({
  ...userInfo,
  ...Object.fromEntries(Object.entries(idToken).filter(([, value]) => value !== null)),
});
