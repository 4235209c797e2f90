const secretName =
  /^(authorization|cookie|set-cookie|x-service-token|credential|jwt|password|pass|secret|contents|kubeconfig|.*token)$/i;
const secretPart = /(^|[_-])(password|secret|token)$/i;

const maxDepth = 6;

const isSecret = (name: string): boolean => secretName.test(name) || secretPart.test(name);

/** A copy for the log with the value of every field named like a secret replaced, at any depth. */
export function withoutSecrets(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, isSecret(name) ? '[hidden]' : clean(value, 1)]),
  );
}

function clean(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (value instanceof Error) return value;
  if (depth >= maxDepth) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => clean(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, isSecret(name) ? '[hidden]' : clean(field, depth + 1)]),
  );
}
