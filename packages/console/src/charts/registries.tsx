import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { useMay } from '../api/me.ts';
import { nameIn, useKinds } from '../api/names.ts';
import { allOf, oneOf, type Row } from '../api/reads.ts';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { Confirm } from '../ui/page/dialog.tsx';
import { say } from '../ui/page/toasts.tsx';
import { Reading } from '../ui/reading/reading.tsx';
import { Glyph } from '../ui/state.tsx';

type Registry = Row<'helmRegistries'>;

/** Where charts come from, each with the kind of its deployments. */
export function Registries() {
  const registries = useQuery(allOf('helmRegistries', {}));
  const kinds = useKinds();
  const mayEdit = useMay()('helmRegistries', 'update').allowed;
  const [asked, setAsked] = useState<Registry | null>(null);
  return (
    <section className="section">
      <header>
        <h2>Registries</h2>
        {registries.data && <span className="meta">{registries.data.length}</span>}
      </header>
      <Reading of={registries} rows={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="muted">None was found yet.</p>
          ) : (
            <ul className="lines">
              {rows.map((row) => (
                <li key={row.id}>
                  <Glyph tone={row.available ? 'ok' : 'off'} />
                  <span>
                    {nameIn(kinds, row.kind_id)}
                    {!row.available && <span className="muted">, gone from its registry</span>}
                  </span>
                  {mayEdit ? (
                    <Button
                      className="button bare small"
                      aria-label={`Change the icon of ${row.repo_name}`}
                      onPress={() => setAsked(row)}
                    >
                      Icon
                    </Button>
                  ) : (
                    <span />
                  )}
                  <span className="meta">
                    {row.domain_name}/{row.repo_name} · {row.provider}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Reading>
      {asked && <IconDialog registry={asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

function IconDialog({ registry, onClose }: { registry: Registry; onClose: () => void }) {
  const { data } = useQuery(oneOf('helmRegistries', registry.id));
  const [icon, setIcon] = useState(registry.fa_icon);
  const save = async () => {
    const options = data?.etag ? { ifMatch: data.etag } : {};
    unwrap(await berth.helmRegistries.update({ id: registry.id, body: { fa_icon: icon } }, options));
    say(`${registry.repo_name} has the icon ${icon}`);
  };
  return (
    <Confirm title={`Icon of ${registry.repo_name}`} action="Save" isOpen onClose={onClose} onConfirm={save}>
      <TextInput
        label="Font Awesome icon"
        help="Its name without fa-, such as globe. Clients of the API show it."
        value={icon}
        onChange={setIcon}
        maxLength={100}
      />
    </Confirm>
  );
}
