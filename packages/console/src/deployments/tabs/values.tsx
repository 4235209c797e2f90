import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { JsonObject } from '@berth/client';
import { stringify } from 'yaml';
import { useMay } from '../../api/me.ts';
import { oneOf } from '../../api/reads.ts';
import { Copy } from '../../ui/copy.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import type { DeploymentRow, OfDeployment } from '../facts/deployment-row.ts';
import { effectiveValues, shownInputs } from './effective-values.ts';

/** Inputs and override on the left, and on the right the values that the chart gets from them. */
export default function Values({ deployment }: OfDeployment) {
  const chart = useQuery(oneOf('helmCharts', deployment.helm_chart_id));
  return (
    <div className="two">
      <div>
        <section className="section" aria-labelledby="inputs">
          <header>
            <h2 id="inputs">Inputs</h2>
            <ChangeLink deployment={deployment} />
          </header>
          <Reading of={chart}>
            {({ row }) => <Yaml value={shownInputs(row.values_ui, deployment.config)} what="the inputs" />}
          </Reading>
        </section>
        <section className="section" aria-labelledby="override">
          <header>
            <h2 id="override">Override</h2>
            <ChangeLink deployment={deployment} part="override" />
          </header>
          {deployment.values_override === null ? (
            <p className="muted">None: the chart gets what the form gives.</p>
          ) : (
            <Yaml value={deployment.values_override} what="the override" />
          )}
        </section>
      </div>
      <section className="section" aria-labelledby="effective">
        <header>
          <h2 id="effective">Effective values</h2>
          <span className="meta">the form, then the override over it</span>
        </header>
        <Reading of={chart}>{({ row }) => <Effective valuesUi={row.values_ui} deployment={deployment} />}</Reading>
        <p className="meta">
          The platform adds env, cluster, ingress and placement. Everything else has the default of the chart.
        </p>
      </section>
    </div>
  );
}

function Effective({ valuesUi, deployment }: { valuesUi: JsonObject | null; deployment: DeploymentRow }) {
  try {
    return <Yaml value={effectiveValues(valuesUi, deployment)} what="the effective values" />;
  } catch (cause) {
    return <p className="muted">They cannot be computed: {cause instanceof Error ? cause.message : String(cause)}</p>;
  }
}

function ChangeLink({ deployment, part }: { deployment: DeploymentRow; part?: string }) {
  const isOverride = part !== undefined;
  const may = useMay();
  if (!may('deployments', 'update', deployment, { stricter: isOverride }).allowed) return null;
  return (
    <Link
      className="meta"
      to="/deployments/$id/change"
      params={{ id: deployment.id }}
      search={part === undefined ? {} : { part }}
      aria-label={isOverride ? 'Change the override' : 'Change the inputs'}
    >
      Change …
    </Link>
  );
}

function Yaml({ value, what }: { value: JsonObject; what: string }) {
  if (Object.keys(value).length === 0) return <p className="muted">None.</p>;
  const text = stringify(value);
  return (
    <div className="panel code">
      <Copy text={text} what={what} />
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}
