interface TrustedTypes {
  createPolicy(name: string, rules: { createHTML(text: string): string | null }): unknown;
}

/**
 * The page requires Trusted Types: markup from text is refused wherever it is set. Libraries empty elements by setting an empty
 * text, so that alone passes.
 */
export function allowOnlyEmptyHtml(): void {
  const { trustedTypes } = window as { trustedTypes?: TrustedTypes };
  trustedTypes?.createPolicy('default', { createHTML: (text) => (text === '' ? '' : null) });
}

/** The policy of the page allows no code made of text, which zod would try to make for each schema. It reads this before its first one. */
export function keepZodFromCompiling(): void {
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
}
