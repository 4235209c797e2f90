import { unwrap } from '@berth/client';
import { berth } from '../../api/berth.ts';
import type { Row } from '../../api/reads.ts';
import { Confirm } from '../../ui/page/dialog.tsx';
import { say } from '../../ui/page/toasts.tsx';
import type { ResourceType } from './resource-type.ts';

interface DeleteResourceProps {
  resource: Row<'deploymentResources'>;
  type: ResourceType;
  onClose: () => void;
}

/** Deletes a resource. The platform refuses while an enabled deployment uses it. */
export function DeleteResource({ resource: { id, name }, type, onClose }: DeleteResourceProps) {
  return (
    <Confirm
      title={`Delete ${name}`}
      action="Delete"
      typed={name}
      destroys
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        unwrap(await berth.deploymentResources.delete({ id }));
        say(`${name} is being deleted`);
      }}
    >
      <p>
        The deployment that manages the {type.singular} deletes what it stands for, with its data. This cannot be
        undone.
      </p>
      <p className="muted">While enabled deployments use it, it cannot be deleted.</p>
    </Confirm>
  );
}
