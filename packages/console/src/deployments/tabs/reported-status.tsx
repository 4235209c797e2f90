import { Age } from '../../ui/age.tsx';
import { State, type Tone } from '../../ui/state.tsx';
import type { DeploymentRow } from '../facts/deployment-row.ts';

const tones: Record<string, Tone> = {
  success: 'ok',
  danger: 'bad',
  warning: 'warn',
  primary: 'busy',
  secondary: 'off',
};

/** What the workload reports at its status endpoint. */
export function ReportedStatus({ reported }: { reported: DeploymentRow['reported_status'] }) {
  if (reported === null) return null;
  const { content, error, timestamp } = reported;
  return (
    <section className="section">
      <header>
        <h2>Reported by the workload</h2>
        <span className="meta">
          <Age time={timestamp} />
        </span>
      </header>
      {error !== null && <p className="bad">{error}</p>}
      {content && (
        <>
          <State tone={tones[content.status.color] ?? 'off'} word={content.status.name} />
          <dl className="facts">
            {[content.primary_metric, ...(content.metrics ?? [])].map(
              (metric, index) =>
                metric && (
                  <div key={index} className="metric">
                    <dt>{metric.short_description}</dt>
                    <dd>
                      {metric.value} {metric.unit}
                    </dd>
                  </div>
                ),
            )}
          </dl>
          {content.notices.map(({ level, text }, index) => (
            <p key={index} className={level === 'Danger' ? 'bad' : level === 'Warning' ? 'warn' : 'muted'}>
              {text}
            </p>
          ))}
        </>
      )}
    </section>
  );
}
