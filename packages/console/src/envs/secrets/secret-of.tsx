import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { berth } from '../../api/berth.ts';
import { type One, oneOf, type Row } from '../../api/reads.ts';
import { Dialog } from '../../ui/page/dialog.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import { Impact } from '../facts/impact.tsx';
import type { QueuedTasks } from '../facts/queued.tsx';

export interface ChangeSecretProps {
  id: string;
  onClose: () => void;
  onDone: (queued: QueuedTasks) => void;
}

export type ReadSecret = One<Row<'secrets'>>;

interface SecretDialogProps {
  id: string;
  title: string;
  onClose: () => void;
  children: (secret: ReadSecret) => React.ReactNode;
}

/** A dialog about a secret as it was when the dialog opened. If it has changed since, saving is refused. */
export function SecretDialog({ id, title, onClose, children }: SecretDialogProps) {
  const secret = useQuery({ ...oneOf('secrets', id), staleTime: 0, gcTime: 0 });
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      <Reading of={secret} rows={2}>
        {(read) => <AsOpened read={read}>{children}</AsOpened>}
      </Reading>
    </Dialog>
  );
}

function AsOpened({ read, children }: { read: ReadSecret; children: SecretDialogProps['children'] }) {
  const [first] = useState(read);
  return children(first);
}

export function SecretImpact({ id, verb = 'Reinstalls' }: { id: string; verb?: 'Reinstalls' | 'Used by' }) {
  return (
    <Impact
      of={['secrets', id]}
      read={(options) => berth.secrets.impact({ id, query: { per_page: 100 } }, options)}
      verb={verb}
      none="No enabled deployment uses it."
    />
  );
}
