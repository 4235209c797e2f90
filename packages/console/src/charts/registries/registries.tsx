import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMay } from '../../api/me.ts';
import { nameIn, useKinds } from '../../api/names.ts';
import { allOf, type Row } from '../../api/reads.ts';
import { Ago } from '../../ui/age.tsx';
import { ActionsMenu } from '../../ui/page/actions-menu.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { Glyph } from '../../ui/state.tsx';
import { ChangeCredentials, ChangeIcon, ChangePushToken, DeleteRegistry, RenameKind } from './change-registry.tsx';
import { CheckRegistry } from './check-registry.tsx';
import { NewRegistry } from './new-registry.tsx';

type Registry = Row<'helmRegistries'>;

const dialogs = {
  check: CheckRegistry,
  icon: ChangeIcon,
  kind: RenameKind,
  credentials: ChangeCredentials,
  pushToken: ChangePushToken,
  delete: DeleteRegistry,
} as const;

/** Where charts come from: what is wrong with each registry, when it was scanned, and the kind of its deployments. */
export function Registries() {
  const may = useMay();
  const registries = useQuery(allOf('helmRegistries', {}));
  const kinds = useKinds();
  const mayCreate = may('helmRegistries', 'create').allowed;
  const [isNew, setIsNew] = useState(false);
  const [asked, setAsked] = useState<{ what: keyof typeof dialogs; registry: Registry } | null>(null);
  const Asked = asked && dialogs[asked.what];

  const actionsOf = (registry: Registry) => {
    const ask = (what: keyof typeof dialogs) => () => setAsked({ what, registry });
    const permission = may('helmRegistries', 'update');
    const unless = registry.source === 'created' ? undefined : 'the configuration of Berth names it';
    return [
      { words: 'Check it now …', onAction: ask('check'), permission: may('registryChecks', 'run') },
      { words: 'Rename the kind …', onAction: ask('kind'), permission: may('deploymentKinds', 'update') },
      { words: 'Change the icon …', onAction: ask('icon'), permission },
      { words: 'Change the credentials …', onAction: ask('credentials'), permission, unless },
      {
        words: 'Change the push token …',
        onAction: ask('pushToken'),
        permission,
        unless: unless ?? (registry.provider === 'Oci' ? undefined : 'only OCI registries send push events'),
      },
      {
        words: 'Delete …',
        onAction: ask('delete'),
        permission: may('helmRegistries', 'delete'),
        unless,
        destroys: true,
      },
    ];
  };
  return (
    <section className="section">
      <header>
        <h2>Registries</h2>
        {registries.data && <span className="count">{registries.data.length}</span>}
        {mayCreate && (
          <Button className="button small" onPress={() => setIsNew(true)}>
            Add a registry …
          </Button>
        )}
      </header>
      <Reading of={registries} rows={2}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="muted">None was found yet.</p>
          ) : (
            <ul className="lines">
              {rows.map((row) => (
                <li key={row.id}>
                  <Glyph tone={!row.available ? 'off' : row.last_error ? 'bad' : 'ok'} />
                  <span>
                    {nameIn(kinds, row.kind_id)}
                    {!row.available && <span className="muted">, gone from its registry</span>}
                  </span>
                  <ActionsMenu label={`Actions for ${row.repo_name}`} actions={actionsOf(row)} />
                  <span className="meta">
                    {row.domain_name}/{row.repo_name} · {row.provider}
                    {row.source === 'created' && ' · added here'}
                  </span>
                  <span className="meta">
                    {row.last_scan_at ? (
                      <>
                        scanned <Ago time={row.last_scan_at} />
                      </>
                    ) : (
                      'not scanned without a failure yet'
                    )}
                  </span>
                  {row.last_error && <span className="meta bad">{row.last_error}</span>}
                </li>
              ))}
            </ul>
          )
        }
      </Reading>
      {isNew && <NewRegistry onClose={() => setIsNew(false)} />}
      {Asked && <Asked registry={asked.registry} onClose={() => setAsked(null)} />}
    </section>
  );
}
