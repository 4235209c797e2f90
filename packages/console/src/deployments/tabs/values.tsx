import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { stringify } from 'yaml';
import { oneOf } from '../../api/reads.ts';
import { Copy } from '../../ui/copy.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import type { OfDeployment } from '../facts/deployment-row.ts';

/** The inputs and the override, as they are deployed. */
export default function Values({ deployment }: OfDeployment) {
  const chart = useQuery(oneOf('helmCharts', deployment.helm_chart_id));
  return (
    <div className="two">
      <section className="section">
        <header>
          <h2>Inputs</h2>
          <Link className="meta" to="/deployments/$id/change" params={{ id: deployment.id }}>
            Change …
          </Link>
        </header>
        <Reading of={chart}>
          {({ row }) => <Yaml value={withoutSensitive(row.values_ui, deployment.config)} what="the inputs" />}
        </Reading>
      </section>
      <section className="section">
        <header>
          <h2>Override</h2>
        </header>
        {deployment.values_override === null ? (
          <p className="muted">The values are those that the chart makes of the inputs.</p>
        ) : (
          <Yaml value={deployment.values_override} what="the override" />
        )}
      </section>
    </div>
  );
}

function Yaml({ value, what }: { value: object; what: string }) {
  const text = stringify(value);
  return (
    <div className="panel code">
      <Copy text={text} what={what} />
      <pre tabIndex={0}>{text}</pre>
    </div>
  );
}

/** Sensitive inputs are known to the chart only. */
function withoutSensitive(form: unknown, config: Record<string, unknown>): object {
  const inputs = typeof form === 'object' && form !== null && 'inputs' in form ? form.inputs : [];
  const sensitive = new Set(
    (Array.isArray(inputs) ? inputs : []).filter((input) => input?.sensitive === true).map((input) => String(input.id)),
  );
  return Object.fromEntries(Object.entries(config).map(([id, value]) => [id, sensitive.has(id) ? '(hidden)' : value]));
}
