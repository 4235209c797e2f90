import { Link } from '@tanstack/react-router';
import { When } from '../ui/age.tsx';
import { Glyph } from '../ui/state.tsx';
import type { Step } from './facts/timeline-of.ts';

/** What has happened to a task, and what is happening. */
export function Timeline({ steps }: { steps: Step[] }) {
  return (
    <ol className="lines timeline">
      {steps.map(({ tone, words, at, detail, about }, index) => (
        <li key={index}>
          <Glyph tone={tone} />
          <span>
            {words} {about && <About about={about} />}
          </span>
          <span className="muted">{at !== null && <When time={at} />}</span>
          {detail !== null && <span className="meta">{detail}</span>}
        </li>
      ))}
    </ol>
  );
}

function About({ about: { kind, id } }: { about: NonNullable<Step['about']> }) {
  if (id === null) return null;
  if (kind === 'deployment_task') {
    return (
      <Link to="/tasks/$id" params={{ id }}>
        Show the task
      </Link>
    );
  }
  if (kind === 'k8s_cluster') {
    return (
      <Link to="/clusters/$id" params={{ id }}>
        Show the cluster
      </Link>
    );
  }
  return null;
}
