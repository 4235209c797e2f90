import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { berth } from '../../api/berth.ts';
import { oneOf, type Row } from '../../api/reads.ts';
import { Confirm } from '../../ui/page/dialog.tsx';
import { say } from '../../ui/page/toasts.tsx';
import { SecretImpact } from './secret-of.tsx';

/** Deletes a secret. The platform refuses while an enabled deployment uses it. */
export function DeleteSecret({ secret, onClose }: { secret: Row<'secrets'>; onClose: () => void }) {
  const { id, name, collection } = secret;
  const etag = useQuery(oneOf('secrets', id)).data?.etag ?? null;
  return (
    <Confirm
      title={`Delete ${collection} / ${name}`}
      action="Delete"
      typed={name}
      destroys
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        unwrap(await berth.secrets.delete({ id }, etag === null ? {} : { ifMatch: etag }));
        say(`${name} was deleted`);
      }}
    >
      <p>
        Its contents are deleted and cannot be brought back. Disabled deployments that use it can no longer be enabled.
      </p>
      <p className="muted">While enabled deployments use it, it cannot be deleted.</p>
      <SecretImpact id={id} verb="Used by" />
    </Confirm>
  );
}
