import { lazy, Suspense, useState } from 'react';
import { ToggleButton } from 'react-aria-components/ToggleButton';
import type { Row } from '../api/reads.ts';
import { LoadingRows } from '../ui/reading/problem.tsx';
import { featureWords } from './feature-words.ts';
import { actionTitles, formInputs } from './form-inputs.ts';

// Loaded on demand, since it brings the rules of forms along.
const FormTrial = lazy(() => import('./form-trial.tsx'));

/** What a deployment of the chart asks for and offers. */
export function ChartForm({ chart }: { chart: Row<'helmCharts'> }) {
  const inputs = formInputs(chart.values_ui);
  const actions = actionTitles(chart.actions_schema);
  const types = Object.keys(chart.resource_types ?? {});
  const features = featureWords(chart.features);
  const [isTried, setIsTried] = useState(false);
  if (chart.error !== null) return null;
  return (
    <>
      <section className="section">
        <header>
          <h2>Form</h2>
          {inputs.length > 0 && (
            <>
              <span className="meta">{inputs.length === 1 ? '1 input' : `${inputs.length} inputs`}</span>
              <ToggleButton className="button small" isSelected={isTried} onChange={setIsTried}>
                Try the form
              </ToggleButton>
            </>
          )}
        </header>
        {inputs.length === 0 ? (
          <p className="muted">The chart has no form: deployments of it take an override of its values.</p>
        ) : isTried && chart.values_ui !== null ? (
          <Suspense fallback={<LoadingRows />}>
            <FormTrial key={chart.id} valuesUi={chart.values_ui} />
          </Suspense>
        ) : (
          <div className="panel scrolls" tabIndex={0} role="region" aria-label="Inputs of the form">
            <table className="chart-form">
              <thead>
                <tr>
                  <th scope="col">Label</th>
                  <th scope="col">Id</th>
                  <th scope="col">Type</th>
                  <th scope="col">Required</th>
                  <th scope="col">Help</th>
                </tr>
              </thead>
              <tbody>
                {inputs.map(({ id, label, type, isRequired, help, isConditional }) => (
                  <tr key={id}>
                    <td>{label}</td>
                    <td>
                      <code>{id}</code>
                    </td>
                    <td>{type}</td>
                    <td>{isRequired ? (isConditional ? 'where it shows' : 'yes') : ''}</td>
                    <td className="muted">
                      {help}
                      {isConditional && ' Shows for some values of other inputs.'}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      {(actions.length > 0 || types.length > 0 || features.length > 0) && (
        <section className="section">
          <header>
            <h2>What else it defines</h2>
          </header>
          <dl className="facts">
            {features.length > 0 && (
              <>
                <dt>A deployment</dt>
                <dd>{features.join(', ')}</dd>
              </>
            )}
            {actions.length > 0 && (
              <>
                <dt>Actions</dt>
                <dd>{actions.join(', ')}</dd>
              </>
            )}
            {types.length > 0 && (
              <>
                <dt>Resource types</dt>
                <dd>{types.join(', ')}</dd>
              </>
            )}
          </dl>
        </section>
      )}
    </>
  );
}
