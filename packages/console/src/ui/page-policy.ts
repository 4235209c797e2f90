interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown;
}

/**
 * The page requires Trusted Types, so it refuses to turn text into markup. Libraries clear elements by setting an empty text, which
 * is therefore the one exception.
 */
export function allowOnlyEmptyHtml(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? '' : null) });
}

/** zod compiles its schemas, which the policy of the page forbids. It reads this setting before the first one. */
export function keepZodFromCompiling(): void {
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
}
