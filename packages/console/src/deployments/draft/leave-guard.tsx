import { useBlocker } from '@tanstack/react-router';
import { Confirm } from '../../ui/page/dialog.tsx';

/** Asks before somebody leaves a page on which they have typed something. Steps of the same page need no question. */
export function LeaveGuard({ isDirty }: { isDirty: () => boolean }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && isDirty(),
    enableBeforeUnload: isDirty,
    withResolver: true,
  });
  return (
    <Confirm
      title="Leave without applying?"
      action="Leave"
      destroys
      isOpen={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={async () => blocker.proceed?.()}
    >
      <p>What you typed here is lost.</p>
    </Confirm>
  );
}
