import { unwrap } from '@berth/client';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../../api/berth.ts';
import { useMay } from '../../api/me.ts';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { Confirm } from '../../ui/page/dialog.tsx';
import type { OfEnv } from '../facts/env-row.ts';
import { Impact } from '../facts/impact.tsx';
import { Queued, queuedBy, type QueuedTasks } from '../facts/queued.tsx';
import { jsonText, readJson } from '../facts/read-json.ts';
import { Meanwhile } from './meanwhile.tsx';
import { useBase } from './use-base.ts';

type EnvChanges = NonNullable<Parameters<typeof berth.envs.update>[0]['body']>;

/** The nodes on which the pods of the env run. The platform checks them by the rules of Kubernetes. */
export function Placement(given: OfEnv) {
  const permission = useMay()('envs', 'update', { env_id: given.env.id });
  const base = useBase(given);
  const [selector, setSelector] = useState(jsonText(base.env.node_selector));
  const [tolerations, setTolerations] = useState(jsonText(base.env.tolerations));
  const [isAsking, setIsAsking] = useState(false);
  const [queued, setQueued] = useState<QueuedTasks | null>(null);
  const read = { node_selector: readJson(selector), tolerations: readJson(tolerations) };
  const isChanged = selector !== jsonText(base.env.node_selector) || tolerations !== jsonText(base.env.tolerations);
  const isReadable = 'value' in read.node_selector && 'value' in read.tolerations;
  const take = (env: OfEnv['env']) => {
    setSelector(jsonText(env.node_selector));
    setTolerations(jsonText(env.tolerations));
  };

  const change = async () => {
    if ('error' in read.node_selector || 'error' in read.tolerations) return;
    // If what was typed breaks a rule of Kubernetes, the server says which.
    const body = { node_selector: read.node_selector.value, tolerations: read.tolerations.value } as EnvChanges;
    const answer = await berth.envs.update({ id: base.env.id, body }, base.ifMatch);
    const env = unwrap(answer);
    base.set({ env, etag: answer.ok ? answer.etag : null });
    take(env);
    setQueued(queuedBy('The placement was changed', answer));
  };

  return (
    <section className="section">
      <header>
        <h2>Node placement</h2>
      </header>
      {queued && <Queued of={queued} envId={base.env.id} onDismiss={() => setQueued(null)} />}
      {base.isOld && isChanged && (
        <Meanwhile
          onTake={() => {
            base.take();
            take(given.env);
          }}
        />
      )}
      <TextInput
        label="Node selector"
        help={'Labels that the nodes must have, such as {"pool": "web"}. Empty: any node.'}
        value={selector}
        onChange={setSelector}
        rows={3}
        spellCheck="false"
        isDisabled={!permission.allowed}
        error={'error' in read.node_selector ? read.node_selector.error : undefined}
      />
      <TextInput
        label="Tolerations"
        help={'Taints that the pods tolerate, such as [{"key": "spot", "operator": "Exists"}]. Empty: none.'}
        value={tolerations}
        onChange={setTolerations}
        rows={5}
        spellCheck="false"
        isDisabled={!permission.allowed}
        error={'error' in read.tolerations ? read.tolerations.error : undefined}
      />
      {permission.allowed ? (
        <Button className="button" isDisabled={!isChanged || !isReadable} onPress={() => setIsAsking(true)}>
          Change the placement …
        </Button>
      ) : (
        <p className="meta">Changed by {permission.needs}</p>
      )}
      <Confirm
        title="Change the placement"
        action="Change"
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        onConfirm={change}
      >
        <p>Pods that run elsewhere move to the nodes that fit.</p>
        <Impact
          of={['envs', base.env.id]}
          read={(options) => berth.envs.impact({ id: base.env.id, query: { per_page: 100 } }, options)}
          verb="Reinstalls"
          none="Nothing is installed in the env, so nothing is reinstalled."
        />
      </Confirm>
    </section>
  );
}
