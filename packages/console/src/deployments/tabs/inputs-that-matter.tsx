import type { Row } from '../../api/reads.ts';
import type { DeploymentRow } from '../facts/deployment-row.ts';
import { changedInputs } from './changed-inputs.ts';

interface InputsThatMatterProps {
  deployment: DeploymentRow;
  chart: Row<'helmCharts'> | undefined;
}

/** The inputs that differ from the chart, and the override. */
export function InputsThatMatter({ deployment, chart }: InputsThatMatterProps) {
  if (chart === undefined) return null;
  const { changed, total } = changedInputs(chart.values_ui, deployment.config);
  const override = deployment.values_override;
  if (changed.length === 0 && override === null) return null;
  return (
    <section className="section">
      <header>
        <h2>Inputs that differ from the chart</h2>
        <span className="meta">
          {changed.length} of {total}
        </span>
      </header>
      <dl className="facts panel padded">
        {changed.map(({ id, label, words }) => (
          <div key={id} className="metric">
            <dt>{label}</dt>
            <dd>{words}</dd>
          </div>
        ))}
        {override !== null && (
          <div className="metric">
            <dt>Override</dt>
            <dd>
              <pre>{JSON.stringify(override, null, 2)}</pre>
            </dd>
          </div>
        )}
      </dl>
    </section>
  );
}
