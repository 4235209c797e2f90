/** A path of the API with more parameters; it may have some, such as a selector. */
export const withQuery = (path: string, query: URLSearchParams): string =>
  `${path}${path.includes('?') ? '&' : '?'}${query.toString()}`;
