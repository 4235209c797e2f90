import { unwrap } from '@berth/client';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import type { Row } from '../../api/reads.ts';
import { TextInput } from '../../ui/inputs/text-input.tsx';
import { Confirm } from '../../ui/page/dialog.tsx';
import { say } from '../../ui/page/toasts.tsx';

interface CancelDialogProps {
  task: Row<'deploymentTasks'>;
  /** What the task does, and to what. */
  words: string;
  onClose: () => void;
}

/** Asks for a reason, and says what state a cancellation leaves. */
export function CancelDialog({ task, words, onClose }: CancelDialogProps) {
  const [reason, setReason] = useState('');
  const cancel = async () => {
    const body = reason.trim() === '' ? {} : { reason: reason.trim() };
    const { status } = unwrap(await berth.deploymentTasks.cancel({ id: task.id, body }));
    say(status === 'Canceled' ? `Canceled: ${words}` : `Being stopped: ${words}`);
  };
  return (
    <Confirm title={`Cancel: ${words}`} action="Cancel the task" destroys isOpen onClose={onClose} onConfirm={cancel}>
      <p>
        {task.status === 'Pending'
          ? 'It has not begun, so nothing on the cluster changes. Tasks that wait behind it move up.'
          : 'Helm is stopped where it is. What it has changed so far stays, the deployment shows Error with your reason, and the next task goes on from there.'}
      </p>
      <TextInput
        label="Reason"
        help="Shown with the task and its deployment."
        value={reason}
        onChange={setReason}
        maxLength={500}
      />
    </Confirm>
  );
}
