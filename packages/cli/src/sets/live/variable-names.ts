/** Names of environment variables for secrets, each given once: `PROD_WEB_TOKEN`, then `PROD_WEB_TOKEN_2`. */
export function variableNames(): (...names: readonly string[]) => string {
  const given = new Set<string>();
  return (...names) => {
    const text = names
      .join('_')
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, '_');
    const name = /^[A-Z_]/.test(text) ? text : `_${text}`;
    for (let number = 1; ; number += 1) {
      const candidate = number === 1 ? name : `${name}_${number}`;
      if (given.has(candidate)) continue;
      given.add(candidate);
      return candidate;
    }
  };
}
