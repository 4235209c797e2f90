import { unwrap } from '@berth/client';
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { berth } from '../api/berth.ts';
import { allOf, type Row } from '../api/reads.ts';
import { Icon } from '../ui/icons.tsx';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { Confirm } from '../ui/page/dialog.tsx';
import { say } from '../ui/page/toasts.tsx';
import { LoadingRows } from '../ui/reading/problem.tsx';
import { Reading } from '../ui/reading/reading.tsx';

// Loaded on demand, since it brings the server's engine along.
const TryTag = lazy(() => import('./try-tag.tsx').then(({ TryTag: component }) => ({ default: component })));

type Format = Row<'helmTagFormats'>;

/** How the tags of charts are parsed: by the newest format that matches. */
export function TagFormats({ mayChange }: { mayChange: boolean }) {
  const formats = useQuery(allOf('helmTagFormats', {}));
  const [removed, setRemoved] = useState<Format | null>(null);
  const [isAdding, setIsAdding] = useState(false);
  const [isTrying, setIsTrying] = useState(false);
  return (
    <section className="section">
      <header>
        <h2>Tag formats</h2>
        {mayChange && (
          <Button className="button small" onPress={() => setIsAdding(true)}>
            Add a format …
          </Button>
        )}
      </header>
      <Reading of={formats} rows={2}>
        {(rows) => (
          <>
            {rows.length === 0 ? (
              <p className="muted">None. The version of a chart is the one in its Chart.yaml.</p>
            ) : (
              <ol className="panel chart-lines">
                {rows.map((format) => (
                  <li key={format.id}>
                    <code>{format.pattern}</code>
                    {mayChange && (
                      <Button
                        className="button bare small end"
                        aria-label={`Delete the format ${format.pattern}`}
                        onPress={() => setRemoved(format)}
                      >
                        <Icon name="close" />
                      </Button>
                    )}
                  </li>
                ))}
              </ol>
            )}
            {isTrying ? (
              <Suspense fallback={<LoadingRows rows={1} />}>
                <TryTag formats={rows} />
              </Suspense>
            ) : (
              <Button className="button small" onPress={() => setIsTrying(true)}>
                Try a tag
              </Button>
            )}
          </>
        )}
      </Reading>
      {isAdding && <AddFormat onClose={() => setIsAdding(false)} />}
      <Confirm
        title="Delete the tag format"
        action="Delete"
        destroys
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        onConfirm={async () => {
          if (removed === null) return;
          unwrap(await berth.helmTagFormats.delete({ id: removed.id }));
          say('The format is deleted, and all tags are parsed again');
        }}
      >
        <p>
          All tags are parsed again. Charts that only <code>{removed?.pattern}</code> matches lose their branch and
          commit.
        </p>
      </Confirm>
    </section>
  );
}

function AddFormat({ onClose }: { onClose: () => void }) {
  const [pattern, setPattern] = useState('');
  return (
    <Confirm
      title="Add a tag format"
      action="Add"
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        unwrap(await berth.helmTagFormats.create({ body: { pattern } }));
        say('The format is added, and all tags are parsed again');
      }}
    >
      <p>It takes precedence over the other formats. All tags are parsed again.</p>
      <TextInput
        label="Pattern"
        help="A regular expression with a group named version, and perhaps revision, branch and commit: (?<version>\d+\.\d+\.\d+)"
        value={pattern}
        onChange={setPattern}
        maxLength={500}
        spellCheck="false"
      />
      <Suspense fallback={<LoadingRows rows={1} />}>
        {pattern !== '' && <TryTag formats={[{ id: 'new', pattern }]} />}
      </Suspense>
    </Confirm>
  );
}
