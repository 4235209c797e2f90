import type { ClientConfig } from 'pg';
import { valueParsers } from './value-parsers.ts';

export interface ConnectionOptions {
  url: string;
  applicationName: string;
  statementTimeoutMs?: number;
  lockTimeoutMs?: number;
}

/** How long opening a connection may take on a busy machine. A refused one fails at once, and callers of the pool wait less. */
const connectTimeoutMs = 5_000;

/** Limits every wait in Postgres: a statement, a lock, an idle transaction, a silent server. */
export function connectionSettings({
  url,
  applicationName,
  statementTimeoutMs = 5_000,
  lockTimeoutMs = 3_000,
}: ConnectionOptions): ClientConfig {
  return {
    connectionString: withSessionOptions(url, `-c TimeZone=UTC -c DateStyle=ISO -c lock_timeout=${lockTimeoutMs}`),
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: 10_000,
    // Our own timeout: an unreachable machine sends no "statement timeout".
    query_timeout: statementTimeoutMs + 1_000,
    keepAlive: true,
    types: valueParsers,
  };
}

/** Keeps options that the URL already has, such as a search path. */
function withSessionOptions(url: string, options: string): string {
  const target = new URL(url);
  const given = target.searchParams.get('options');
  target.searchParams.set('options', given === null ? options : `${given} ${options}`);
  return target.href;
}
