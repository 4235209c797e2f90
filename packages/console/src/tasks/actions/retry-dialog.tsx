import { unwrap } from '@berth/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import type { Permission } from '../../api/me.ts';
import type { Row } from '../../api/reads.ts';
import { Check } from '../../ui/inputs/check.tsx';
import { Confirm } from '../../ui/page/dialog.tsx';

interface RetryDialogProps {
  task: Row<'deploymentTasks'>;
  words: string;
  /** The task of the deployment that runs now. */
  running: Row<'deploymentTasks'> | undefined;
  /** The permission for a removal without hooks. */
  asOwner: Permission;
  onClose: () => void;
}

export function RetryDialog({ task, words, running, asOwner, onClose }: RetryDialogProps) {
  const navigate = useNavigate();
  const [isSuperseding, setIsSuperseding] = useState(false);
  const [skipsHooks, setSkipsHooks] = useState(false);
  const removes = 'Uninstall' in task.operation || 'Recreate' in task.operation;
  const retry = async () => {
    const query = isSuperseding ? { supersede: true } : {};
    const body = skipsHooks ? { skip_hooks: true } : {};
    const { id } = unwrap(await berth.deploymentTasks.retry({ id: task.id, query, body }));
    void navigate({ to: '/tasks/$id', params: { id } });
  };
  return (
    <Confirm title={`Retry: ${words}`} action="Retry" isOpen onClose={onClose} onConfirm={retry}>
      <p>
        A new task of the same operation is due at once, with the inputs of this one, at the place that the deployment
        has now.
      </p>
      {running && <Supersede isSelected={isSuperseding} onChange={setIsSuperseding} />}
      {removes && (
        <>
          <Check
            label="Skip the hooks of the chart"
            value={skipsHooks}
            onChange={setSkipsHooks}
            isDisabled={!asOwner.allowed}
          />
          <p className="meta">
            {asOwner.allowed
              ? 'For a removal that fails each time because of a hook. What the hooks clean up stays.'
              : `Without hooks it is for ${asOwner.needs}.`}
          </p>
        </>
      )}
    </Confirm>
  );
}

interface SupersedeProps {
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
}

/** Offered if another task of the deployment runs. */
export function Supersede({ isSelected, onChange }: SupersedeProps) {
  return (
    <>
      <Check label="End the task that runs, if it only waits for readiness" value={isSelected} onChange={onChange} />
      <p className="meta">Otherwise the new task waits until it ends. While Helm works, it always waits.</p>
    </>
  );
}
