import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { Dialog } from '../../ui/page/dialog.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { State } from '../../ui/state.tsx';
import type { RegistryDialogProps } from './change-registry.tsx';

/** Asks the registry itself what it lists, and says why if it does not answer. */
export function CheckRegistry({ registry: { id, domain_name, repo_name }, onClose }: RegistryDialogProps) {
  const check = useQuery({
    queryKey: ['registry_checks', id],
    queryFn: async ({ signal }) => unwrap(await berth.registryChecks.run({ id }, { signal })),
    staleTime: 0,
    gcTime: 0,
  });
  return (
    <Dialog title={`Check of ${domain_name}/${repo_name}`} isOpen onClose={onClose}>
      <Reading of={check} rows={2}>
        {({ versions, examples, error }) =>
          error === null ? (
            <>
              <p>
                <State tone="ok" word={versions === 1 ? 'It lists 1 version' : `It lists ${versions ?? 0} versions`} />
              </p>
              {examples.length > 0 && <p className="mono">{examples.join(', ')}</p>}
            </>
          ) : (
            <>
              <p>
                <State tone="bad" word="Its versions cannot be listed" />
              </p>
              <p>{error}</p>
            </>
          )
        }
      </Reading>
    </Dialog>
  );
}
