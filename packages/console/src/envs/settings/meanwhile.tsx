import { Button } from 'react-aria-components/Button';

/** Says that the env was changed meanwhile, and offers to show it as it is now. */
export function Meanwhile({ onTake }: { onTake: () => void }) {
  return (
    <div className="notice warn" role="status">
      <p>The env was changed meanwhile. What you see here is as it was before.</p>
      <Button className="button" onPress={onTake}>
        Show it as it is now
      </Button>
    </div>
  );
}
