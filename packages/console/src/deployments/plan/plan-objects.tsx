import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { State } from '../../ui/state.tsx';
import { countsOf, groupsOf, type Plan, type PlannedObject, type PlanGroup, valueWords } from './plan-summary.ts';

/** Further objects are shown when somebody asks for them. */
const firstObjects = 30;
const firstFields = 8;

/** The objects, grouped by what happens to them, with the fields that differ. */
export function PlanObjects({ plan }: { plan: Plan }) {
  const [isWhole, setIsWhole] = useState(false);
  const groups = groupsOf(plan);
  const all = groups.flatMap((group) => group.objects.map((object) => ({ object, group })));
  const shown = isWhole ? all : all.slice(0, firstObjects);
  return (
    <section className="section" aria-labelledby="planned-objects">
      <header>
        <h2 id="planned-objects">Objects</h2>
        <span className="meta">{countsOf(plan)}</span>
      </header>
      {all.length === 0 ? (
        <p className="muted">No object of the release changes.</p>
      ) : (
        <ul className="panel planned-objects">
          {shown.map(({ object, group }, index) => (
            <ObjectChange key={index} object={object} group={group} />
          ))}
        </ul>
      )}
      {shown.length < all.length && (
        <Button className="button small" onPress={() => setIsWhole(true)}>
          Show all {all.length} objects
        </Button>
      )}
    </section>
  );
}

function ObjectChange({ object, group: { tone, word } }: { object: PlannedObject; group: PlanGroup }) {
  const [isWhole, setIsWhole] = useState(false);
  const { kind, name, namespace, reason, fields } = object;
  const shown = isWhole ? fields : fields.slice(0, firstFields);
  return (
    <li>
      <p className="planned-object">
        <State tone={tone} word={word} />
        <span>
          <span className="muted">{kind}</span> {name}
          {namespace === null && kind !== 'Namespace' && <span className="meta"> of the whole cluster</span>}
        </span>
      </p>
      {reason !== null && <p className="planned-reason meta">{reason}</p>}
      {shown.length > 0 && (
        <div className="planned-fields" role="table" aria-label={`Fields of ${kind} ${name}`}>
          <div role="row" className="visually-hidden">
            <span role="columnheader">Field</span>
            <span role="columnheader">Before</span>
            <span role="columnheader">After</span>
          </div>
          {shown.map((field) => (
            <div role="row" key={field.path} className="planned-field">
              <span role="cell" title={field.path}>
                <FieldName path={field.path} />
              </span>
              <FieldValue side="before" field={field} />
              <FieldValue side="after" field={field} />
            </div>
          ))}
        </div>
      )}
      {shown.length < fields.length && (
        <Button className="button bare small planned-more" onPress={() => setIsWhole(true)}>
          {fields.length - shown.length} more fields
        </Button>
      )}
    </li>
  );
}

/** Longer values scroll in place. */
const mostCharacters = 400;

function FieldValue({ side, field }: { side: 'before' | 'after'; field: PlannedObject['fields'][number] }) {
  const value = field[side];
  const words = field.hidden ? 'hidden' : valueWords(value);
  const isLong = words.length > mostCharacters;
  const look = field.hidden || value === undefined ? 'muted' : side;
  return (
    <span role="cell" className={isLong ? `${look} long` : look} {...(isLong && { tabIndex: 0 })}>
      {words}
    </span>
  );
}

/** The path of a field. Its last part, the name, stands out. */
function FieldName({ path }: { path: string }) {
  const parts = path
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = parts.pop() ?? '';
  return (
    <>
      {parts.length > 0 && <span className="way">{parts.join('.')}.</span>}
      {last}
    </>
  );
}
