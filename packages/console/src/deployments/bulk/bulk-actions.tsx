import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../../api/berth.ts';
import { useMay } from '../../api/me.ts';
import { nameIn, useKinds } from '../../api/names.ts';
import { pageOf, type Row } from '../../api/reads.ts';
import { Choose } from '../../ui/inputs/choose.tsx';
import { Dialog } from '../../ui/page/dialog.tsx';
import { State } from '../../ui/state.tsx';
import { useVersions } from '../facts/columns.ts';
import { type BulkAction, bulkActions, resultWord } from './bulk-action.ts';

type Deployment = Row<'deployments'>;

interface BulkActionsProps {
  chosen: Deployment[];
  /** Also chooses every row in view; absent if all are chosen. */
  onAll?: (() => void) | undefined;
  onDone: () => void;
}

/** Actions on all chosen deployments. They first say what will happen to each, and then report one result for each. */
export function BulkActions({ chosen, onAll, onDone }: BulkActionsProps) {
  const [action, setAction] = useState<BulkAction | null>(null);
  return (
    <div className="notice bulk" role="region" aria-label="Chosen deployments">
      <span>{chosen.length === 1 ? '1 chosen' : `${chosen.length} chosen`}</span>
      {bulkActions.map((each) => (
        <Button key={each.verb} className="button small" onPress={() => setAction(each)}>
          {each.verb}
        </Button>
      ))}
      {onAll && (
        <Button className="button bare small" onPress={onAll}>
          Choose all in view
        </Button>
      )}
      <Button className="button bare small" onPress={onDone}>
        Choose none
      </Button>
      {action && (
        <Running
          action={action}
          chosen={chosen}
          onClose={(isDone) => {
            setAction(null);
            if (isDone) onDone();
          }}
        />
      )}
    </div>
  );
}

const versionIn = (versions: ReturnType<typeof useVersions>, id: string): string =>
  versions.get(id)?.image_tag ?? id.slice(0, 8);

interface RunningProps {
  action: BulkAction;
  chosen: Deployment[];
  onClose: (isDone: boolean) => void;
}

function Running({ action, chosen, onClose }: RunningProps) {
  const may = useMay();
  const kinds = useKinds();
  const [results, setResults] = useState<ReadonlyMap<string, string>>(new Map());
  const [picked, setPicked] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const kindIds = [...new Set(chosen.map(({ kind_id }) => kind_id))];
  const charts = useQuery({
    ...pageOf('chartVersions', { kind_id: kindIds[0], available: true, per_page: 100 }),
    enabled: action.needsChart === true && kindIds.length === 1,
  });
  const versions = useVersions(action.needsChart ? chosen : []);
  const sound = charts.data?.items.filter(({ has_error }) => !has_error) ?? [];
  // The newest, unless another one is chosen.
  const chartId = picked ?? sound[0]?.id ?? null;
  const chart = sound.find(({ id }) => id === chartId);
  const willWords = ({ helm_chart_id }: Deployment): string =>
    chart ? `${versionIn(versions, helm_chart_id)} → ${chart.image_tag}` : action.will;
  const planned = chosen.map((deployment) => ({ deployment, why: action.unless(deployment, may) }));
  const possible = planned.filter(({ why }) => why === undefined);
  const isDone = !isBusy && results.size > 0;
  const isOfManyKinds = action.needsChart === true && kindIds.length > 1;

  const run = async () => {
    setIsBusy(true);
    // One at a time, so that each result is known before the next request, and the platform can serve others.
    for (const { deployment } of possible) {
      const answers = await action.run(berth, deployment, chartId);
      setResults((before) => new Map(before).set(deployment.id, resultWord(answers)));
    }
    setIsBusy(false);
  };

  return (
    <Dialog
      title={`${action.verb} ${chosen.length === 1 ? '1 deployment' : `${chosen.length} deployments`}`}
      isOpen
      wide
      onClose={() => onClose(results.size > 0)}
    >
      <p>{action.says}</p>
      {action.needsChart &&
        (isOfManyKinds ? (
          <p>Choose deployments of one kind to upgrade them to one chart.</p>
        ) : (
          <Choose
            label="Chart"
            choices={sound.map(({ id, image_tag, parsed_branch }) => ({
              id,
              words: [image_tag, parsed_branch].filter(Boolean).join(' · '),
            }))}
            value={chartId}
            onChange={setPicked}
          />
        ))}
      <ul className="lines bulk-results">
        {planned.map(({ deployment, why }) => (
          <li key={deployment.id}>
            <span />
            <span>
              <span className="muted">{nameIn(kinds, deployment.kind_id)} / </span>
              {deployment.name || '—'}
            </span>
            {why === undefined ? (
              <span>{results.get(deployment.id) ?? (isBusy ? 'waits' : willWords(deployment))}</span>
            ) : (
              <State tone="off" word={`left out: ${why}`} />
            )}
          </li>
        ))}
      </ul>
      <div className="dialog-actions">
        <Button className="button" onPress={() => onClose(results.size > 0)}>
          {isDone ? 'Close' : 'Keep them as they are'}
        </Button>
        {!isDone && (
          <Button
            className={action.destroys ? 'button danger' : 'button primary'}
            isDisabled={
              isBusy || possible.length === 0 || isOfManyKinds || (action.needsChart === true && chartId === null)
            }
            onPress={() => void run()}
          >
            {action.verb} {possible.length}
          </Button>
        )}
      </div>
    </Dialog>
  );
}
