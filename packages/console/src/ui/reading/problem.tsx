import { ProblemError } from '@berth/client';
import { Button } from 'react-aria-components/Button';
import type { ReactNode } from 'react';

interface ProblemProps {
  error: unknown;
  /** Repeats what failed. Nothing that was typed is lost. */
  onRetry?: (() => void) | undefined;
}

/** Why something failed, with the request id that finds it in the platform's logs. */
export function Problem({ error, onRetry }: ProblemProps) {
  const { words, requestId, fields } = describe(error);
  return (
    <div className="notice bad" role="alert">
      <p>{words}</p>
      {fields.length > 0 && (
        <ul>
          {fields.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{path}</code> {message}
            </li>
          ))}
        </ul>
      )}
      {requestId !== null && (
        <p className="meta">
          Request <code>{requestId}</code>
        </p>
      )}
      {onRetry && (
        <Button className="button" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

function describe(error: unknown) {
  if (error instanceof ProblemError) {
    const { code, detail, requestId, errors } = error.problem;
    const words = code === 'unreachable' ? 'The platform does not answer. Nothing was lost.' : detail;
    return { words, requestId, fields: errors };
  }
  return { words: error instanceof Error ? error.message : 'Something went wrong', requestId: null, fields: [] };
}

/** What would be shown here, and the one next step. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children}
    </div>
  );
}

/** Keeps the layout while rows are read. It appears after a moment. */
export function LoadingRows({ rows = 6 }: { rows?: number }) {
  return (
    <div className="loading" role="status" aria-label="Loading">
      {Array.from({ length: rows }, (_, index) => (
        <div key={index} className="loading-row" />
      ))}
    </div>
  );
}
