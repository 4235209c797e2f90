import { ProblemError, unwrap } from '@berth/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { choicesIn, useEnvs } from '../api/names.ts';
import { type One, oneOf, type Row } from '../api/reads.ts';
import { Choose } from '../ui/inputs/choose.tsx';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { say } from '../ui/page/toasts.tsx';
import { Problem } from '../ui/reading/problem.tsx';
import { changesOf, clusterFields, textsOf, typedOf } from './cluster-changes.ts';

interface ClusterSettingsProps {
  cluster: Row<'k8sClusters'>;
  etag: One<unknown>['etag'];
}

/** Env, ingress and metrics. A change is refused if somebody else has changed the cluster meanwhile. */
export function ClusterSettings({ cluster, etag }: ClusterSettingsProps) {
  const envs = useEnvs();
  const queries = useQueryClient();
  // What the form started from. A change is refused if the cluster has changed since.
  const [base, setBase] = useState({ cluster, etag });
  const [texts, setTexts] = useState(() => textsOf(cluster));
  const changes = changesOf(base.cluster, texts);
  const isOld = etag !== base.etag;
  const beginAnew = () => {
    setBase({ cluster, etag });
    setTexts({ ...textsOf(cluster), ...typedOf(changes, texts) });
  };
  if (isOld && changes === null) beginAnew();
  const save = useMutation({
    mutationFn: async () => {
      const options = base.etag === null ? {} : { ifMatch: base.etag };
      const answer = await berth.k8sClusters.update({ id: cluster.id, body: changes ?? {} }, options);
      return { row: unwrap(answer), etag: answer.ok ? answer.etag : null };
    },
    onSuccess: (saved) => {
      setBase({ cluster: saved.row, etag: saved.etag });
      setTexts(textsOf(saved.row));
      queries.setQueryData(oneOf('k8sClusters', cluster.id).queryKey, saved);
      say(`${cluster.name} is changed`);
    },
  });
  const errorOf = (field: string) =>
    save.error instanceof ProblemError
      ? save.error.problem.errors.find(({ path }) => path === `body.${field}`)?.message
      : undefined;

  return (
    <section className="section">
      <header>
        <h2>Settings</h2>
      </header>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (changes !== null) save.mutate();
        }}
      >
        <Choose
          label="Env"
          none="None"
          choices={choicesIn(envs)}
          value={texts.env_id}
          onChange={(env_id) => setTexts({ ...texts, env_id })}
        />
        {clusterFields.map(({ id, label, help }) => (
          <TextInput
            key={id}
            label={label}
            help={help}
            error={errorOf(id)}
            value={texts[id]}
            onChange={(value) => setTexts({ ...texts, [id]: value })}
            autoComplete="off"
          />
        ))}
        {isOld && changes !== null && (
          <div className="notice warn" role="status">
            <p>Somebody has changed the cluster meanwhile. What you typed is kept.</p>
            <Button className="button" onPress={beginAnew}>
              Show the rest as it is now
            </Button>
          </div>
        )}
        {save.error && <Problem error={save.error} />}
        <div className="dialog-actions">
          <Button className="button" isDisabled={changes === null} onPress={() => setTexts(textsOf(base.cluster))}>
            Undo
          </Button>
          <Button className="button primary" type="submit" isDisabled={changes === null || save.isPending}>
            Save
          </Button>
        </div>
      </form>
    </section>
  );
}
