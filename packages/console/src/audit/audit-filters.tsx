import { ruleTable } from '@berth/client/rule-table';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Choose } from '../ui/inputs/choose.tsx';
import { FilterByText } from '../ui/inputs/filter-by-text.tsx';
import { Pick } from '../ui/inputs/pick.tsx';
import { TextInput } from '../ui/inputs/text-input.tsx';
import { useAddress } from '../ui/page/address.ts';
import { addressTime, filterNames, localTime } from './audit-query.ts';

const resources = Object.keys(ruleTable)
  .map((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
  .sort()
  .map((name) => ({ id: name, words: name }));

const most = 50;

interface AuditFiltersProps {
  /** Users and bots by id. */
  people: { id: string; words: string; note: string }[];
  wrong: string[];
}

/** The filters of the API, each a part of the address. The env is chosen in the rail. */
export function Filters({ people, wrong }: AuditFiltersProps) {
  const [address, change] = useAddress();
  const [search, setSearch] = useState('');
  const isFiltered = filterNames.some((name) => address[name] !== undefined);
  const found = people.filter(({ words }) => words.toLowerCase().includes(search.toLowerCase()));
  const actor = address['actor'];

  return (
    <div className="audit-filters" role="search" aria-label="Filters of the audit log">
      <Pick
        label="Actor"
        options={found.slice(0, most)}
        value={actor ?? null}
        shown={actor === undefined ? null : (people.find(({ id }) => id === actor)?.words ?? actor.slice(0, 8))}
        none="Anybody"
        onChange={(id) => change({ actor: id })}
        onSearch={setSearch}
        foot={found.length > most ? `${found.length - most} more: type a part of the name` : undefined}
      />
      <Choose
        label="Resource"
        none="Any resource"
        choices={resources}
        value={address['resource'] ?? null}
        onChange={(resource) => change({ resource })}
      />
      <Choose
        label="Result"
        none="Done or denied"
        choices={[
          { id: 'done', words: 'Done' },
          { id: 'denied', words: 'Denied' },
        ]}
        value={address['result'] ?? null}
        onChange={(result) => change({ result })}
      />
      <TextInput
        label="From"
        type="datetime-local"
        value={localTime(address['from'])}
        onChange={(text) => change({ from: addressTime(text) })}
      />
      <TextInput
        label="To"
        type="datetime-local"
        value={localTime(address['to'])}
        onChange={(text) => change({ to: addressTime(text) })}
      />
      <FilterByText
        label="Operation"
        value={address['operation'] ?? ''}
        onChange={(operation) => change({ operation })}
      />
      <FilterByText
        label="Id of the object"
        value={address['object'] ?? ''}
        onChange={(object) => change({ object })}
      />
      <FilterByText label="Id of the token" value={address['token'] ?? ''} onChange={(token) => change({ token })} />
      {isFiltered && (
        <Button
          className="button bare"
          onPress={() => change(Object.fromEntries(filterNames.map((name) => [name, null])))}
        >
          Clear
        </Button>
      )}
      {wrong.map((words) => (
        <p key={words} className="field-error">
          {words}
        </p>
      ))}
    </div>
  );
}
