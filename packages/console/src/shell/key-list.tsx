import { Button } from 'react-aria-components/Button';
import { Dialog, Heading } from 'react-aria-components/Dialog';
import { places } from './keys.ts';

const keys: readonly { keys: string; words: string }[] = [
  { keys: 'Ctrl K or ⌘ K', words: 'Search or jump to anything' },
  ...Object.entries(places).map(([key, { words }]) => ({ keys: `g ${key}`, words: `Go to ${words}` })),
  { keys: '/', words: 'Filter the list' },
  { keys: 'j and k', words: 'Next row, row before' },
  { keys: 'Enter', words: 'Open the row' },
  { keys: 'Enter, Shift Enter', words: 'In the search of a log: next line, line before' },
  { keys: 'Esc', words: 'Close a dialog or a menu' },
  { keys: '?', words: 'This list' },
];

export function KeyList() {
  return (
    <Dialog className="dialog">
      {({ close }) => (
        <>
          <Heading slot="title">Keys</Heading>
          <dl className="keys">
            {keys.map(({ keys, words }) => (
              <div key={keys + words}>
                <dt>
                  <kbd>{keys}</kbd>
                </dt>
                <dd>{words}</dd>
              </div>
            ))}
          </dl>
          <div className="dialog-actions">
            <Button className="button" onPress={close} autoFocus>
              Close
            </Button>
          </div>
        </>
      )}
    </Dialog>
  );
}
