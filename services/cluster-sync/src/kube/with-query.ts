/** Adds parameters to a path of the API, which may have some already, such as a selector. */
export const withQuery = (path: string, query: URLSearchParams): string =>
  `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
