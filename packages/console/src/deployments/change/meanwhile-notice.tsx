import { useQuery } from '@tanstack/react-query';
import { Button } from 'react-aria-components/Button';
import { nameIn, useClusters } from '../../api/names.ts';
import { pageOf } from '../../api/reads.ts';
import { inputWords } from '../../form/config.ts';
import type { Form } from '../../form/parsed-form.ts';
import { type Difference, isContested } from '../draft/changed-meanwhile.ts';
import { type Draft, versionOf } from '../draft/draft.ts';

interface MeanwhileNoticeProps {
  differences: Difference[];
  draft: Draft;
  form: Form | null;
  onDismiss: () => void;
}

const fieldWords: Record<Difference['field'], string> = {
  name: 'Name',
  cluster_id: 'Cluster',
  helm_chart_id: 'Version',
  values_override: 'Override',
  enabled: 'Enabled',
  description_md: 'Description',
  config: 'Input',
};

/** What somebody else changed since this page was opened. What the viewer typed is kept on top of it. */
export function MeanwhileNotice({ differences, draft, form, onDismiss }: MeanwhileNoticeProps) {
  const clusters = useClusters();
  const ids = differences.flatMap(({ field, before, after }) =>
    field === 'helm_chart_id' ? [before, after].filter((id) => typeof id === 'string') : [],
  );
  const versions = useQuery({ ...pageOf('chartVersions', { ids, per_page: 100 }), enabled: ids.length > 0 });
  if (differences.length === 0) return null;

  const words = ({ field, input }: Difference, value: Difference['before']): string => {
    if (field === 'helm_chart_id') {
      const version = versions.data?.items.find(({ id }) => id === value);
      return version ? versionOf(version) : typeof value === 'string' ? value.slice(0, 8) : '';
    }
    if (field === 'cluster_id') return nameIn(clusters, typeof value === 'string' ? value : null);
    return inputWords(
      form?.inputs.find(({ id }) => id === input),
      value,
    );
  };
  return (
    <div className="notice warn" role="alert">
      <p>Somebody else changed this deployment meanwhile. What you typed is kept, and the plan is made anew.</p>
      <table className="meanwhile">
        <thead className="visually-hidden">
          <tr>
            <th>Field</th>
            <th>Before</th>
            <th>Now</th>
            <th>Yours</th>
          </tr>
        </thead>
        <tbody>
          {differences.map((difference, index) => (
            <tr key={index}>
              <th scope="row">
                {form?.inputs.find(({ id }) => id === difference.input)?.label ??
                  difference.input ??
                  fieldWords[difference.field]}
              </th>
              <td>
                {words(difference, difference.before)} → {words(difference, difference.after)}
              </td>
              <td className="muted">{isContested(difference, draft) ? 'your value would replace it' : 'taken over'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Button className="button small" onPress={onDismiss}>
        Hide
      </Button>
    </div>
  );
}
