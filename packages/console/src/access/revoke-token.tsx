import { Ago } from '../ui/age.tsx';
import { Confirm } from '../ui/page/dialog.tsx';
import { say } from '../ui/page/toasts.tsx';
import { nameOfToken } from './name-of-token.ts';

interface RevokeTokenProps {
  token: { id: string; name: string | null; last_used_at: string | null };
  /** Whose token it is, unless it is the viewer's. */
  of?: string;
  onClose: () => void;
  /** Rejects with what went wrong. */
  revoke: (id: string) => Promise<unknown>;
}

/** Revokes a token, after saying when it was last used. */
export function RevokeToken({ token, of, onClose, revoke }: RevokeTokenProps) {
  const name = nameOfToken(token);
  return (
    <Confirm
      title={of === undefined ? `Revoke ${name}` : `Revoke ${name} of ${of}`}
      action="Revoke"
      typed={name}
      destroys
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await revoke(token.id);
        say(`${name} was revoked`);
      }}
    >
      <p>
        The next request of every program that uses it is refused.{' '}
        {token.last_used_at === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <Ago time={token.last_used_at} />.
          </>
        )}{' '}
        This cannot be undone.
      </p>
    </Confirm>
  );
}
