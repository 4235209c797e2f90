import { getProxyForUrl } from 'proxy-from-env';

const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY'] as const;

/**
 * The variables that name the proxy, by their usual names; none unless `NODE_USE_ENV_PROXY=1`, which is Node's own switch: `fetch`
 * heeds it too, so that one variable decides for all clients. For agents of Node (`proxyEnv`) and for programs, which must not show
 * them: they may hold a credential.
 */
export function proxyVariables(): Record<string, string> {
  const { env } = process;
  if (env['NODE_USE_ENV_PROXY'] !== '1') return {};
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name.toLowerCase()] || env[name];
      return value ? [[name, value]] : [];
    }),
  );
}

class UnusableProxy extends Error {
  override readonly name = 'UnusableProxy';

  /** The value is not quoted, since it may hold a password. */
  constructor(variable: string) {
    super(`${variable} is not an http or https URL`);
  }
}

/** The proxy on the way to a URL; null if there is none. It may hold a credential. */
export function proxyFor(url: URL): URL | null {
  const name = url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  // Without its own variable the library takes ALL_PROXY, which neither Node nor Helm knows.
  if (proxyVariables()[name] === undefined) return null;
  const proxy = getProxyForUrl(url.href);
  if (proxy === '') return null;
  const parsed = URL.parse(proxy);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) throw new UnusableProxy(name);
  return parsed;
}

/** What precedes the last `@`, beyond the user: as written, also where it is no URL. */
const writtenPassword = /^[a-z]+:\/\/[^:]*:(.+)@/is;

/** The passwords of proxies, as they are written, as a URL has them and as they are meant: texts to redact. */
export const proxyPasswords = (): string[] =>
  ['HTTPS_PROXY', 'HTTP_PROXY'].flatMap((name) => {
    const value = proxyVariables()[name] ?? '';
    const written = writtenPassword.exec(value)?.[1] ?? '';
    const { password = '' } = URL.parse(value) ?? {};
    return [...new Set([written, password, meant(password)])].filter((text) => text !== '');
  });

function meant(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
