import { Link } from '@tanstack/react-router';
import { Empty, Problem } from '../ui/reading/problem.tsx';

export function LostPage() {
  return (
    <main className="gate">
      <Empty title="There is no such page">
        <Link to="/">Home</Link>
      </Empty>
    </main>
  );
}

/** A bug of the console, or a row that could not be read. */
export function FailedPage({ error, reset }: { error: unknown; reset: () => void }) {
  return (
    <main className="gate">
      <Problem error={error} onRetry={reset} />
    </main>
  );
}
