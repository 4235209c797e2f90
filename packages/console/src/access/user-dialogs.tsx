import { unwrap } from '@berth/client';
import { berth } from '../api/berth.ts';
import type { Row } from '../api/reads.ts';
import { Confirm } from '../ui/page/dialog.tsx';
import { say } from '../ui/page/toasts.tsx';
import { Deactivate } from './activity.tsx';

interface UserDialogProps {
  user: Row<'users'>;
  onClose: () => void;
}

/** Makes somebody a site admin, or takes the role from them. */
export function ChangeGlobalRole({ user: { id, display_name, is_admin }, onClose }: UserDialogProps) {
  const set = async (value: boolean) => unwrap(await berth.users.update({ id, body: { is_admin: value } }));
  return (
    <Confirm
      title={is_admin ? `Take the role site admin from ${display_name}` : `Make ${display_name} a site admin`}
      action="Change Global Role"
      typed={is_admin ? undefined : display_name}
      destroys={is_admin}
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await set(!is_admin);
        say(is_admin ? `${display_name} is no longer a site admin` : `${display_name} is a site admin`, {
          words: 'Undo',
          onAction: () => void set(is_admin).catch(() => say(`The role of ${display_name} stays changed`)),
        });
      }}
    >
      <p>
        {is_admin
          ? 'They keep their roles in envs, and see nothing else from their next request on.'
          : 'They see and change everything: all envs with their secrets, clusters, users, bots and the audit log.'}
      </p>
    </Confirm>
  );
}

/** Deactivates a user, after saying what that ends: sessions and tokens. */
export function DeactivateUser({ user, onClose, onUndo }: UserDialogProps & { onUndo: () => void }) {
  return (
    <Deactivate
      of={user}
      onClose={onClose}
      onUndo={onUndo}
      onConfirm={async () => unwrap(await berth.users.update({ id: user.id, body: { is_active: false } }))}
    >
      <ul>
        <li>All their sessions end for good; after an activation they sign in again.</li>
        <li>Their tokens are refused until somebody activates them again.</li>
        <li>Tasks that they have scheduled will fail.</li>
        <li>Their roles stay, and what they have deployed keeps running.</li>
      </ul>
    </Deactivate>
  );
}
