type Claims = Readonly<Record<string, unknown>>;

const isText = (value: unknown): boolean => typeof value === 'string' && value.trim() !== '';

/** Whether the ID token tells all that is needed, also whether the e-mail address was verified. */
export const isComplete = ({ email, name, email_verified }: Claims): boolean =>
  isText(email) && isText(name) && typeof email_verified === 'boolean';

/** What is signed counts first; a claim of null says nothing. */
export const claimsOfBoth = (idToken: Claims, userInfo: Claims): Claims => ({
  ...userInfo,
  ...Object.fromEntries(Object.entries(idToken).filter(([, value]) => value !== null)),
});
