import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useMay, useMe } from '../../api/me.ts';
import { choicesIn, nameIn, useKinds, useUsers } from '../../api/names.ts';
import { allOf } from '../../api/reads.ts';
import { Choose } from '../../ui/inputs/choose.tsx';
import { FilterByText } from '../../ui/inputs/filter-by-text.tsx';
import { useAddress } from '../../ui/page/address.ts';
import { Confirm } from '../../ui/page/dialog.tsx';
import { say } from '../../ui/page/toasts.tsx';
import { Empty, Problem } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import type { EnvRow, OfEnv } from '../facts/env-row.ts';
import { AddMember } from './add-member.tsx';
import { addAgain, type KindRole, type Member, removeMember } from './change-roles.ts';
import { MemberLine } from './member-line.tsx';

/** Other members are found by their names. */
const mostLines = 200;

/** The members of the env, and what each may do with which kind of deployments. */
export default function Members({ env }: OfEnv) {
  const members = useQuery(allOf('envUserPermissions', { env_id: env.id }));
  const roles = useQuery(allOf('deploymentPermissions', { env_id: env.id }));
  return (
    <Reading of={members}>
      {(all) => <Reading of={roles}>{(held) => <Matrix env={env} members={all} roles={held} />}</Reading>}
    </Reading>
  );
}

interface MatrixProps {
  env: EnvRow;
  members: Member[];
  roles: KindRole[];
}

function Matrix({ env, members, roles }: MatrixProps) {
  const permission = useMay()('envUserPermissions', 'create', { env_id: env.id });
  const { identity } = useMe();
  const users = useUsers();
  const kinds = useKinds();
  const [address, change] = useAddress();
  const [isAdding, setIsAdding] = useState(false);
  const [removed, setRemoved] = useState<Member | null>(null);
  const [error, setError] = useState<unknown>(null);
  const search = (address['name'] ?? '').toLowerCase();
  const shown = members
    .map((member) => ({ member, user: users.get(member.user_id), name: nameIn(users, member.user_id) }))
    .filter(({ name, user }) => `${name} ${user?.email ?? ''}`.toLowerCase().includes(search))
    .sort((a, b) => a.name.localeCompare(b.name));
  const columns = choicesIn(kinds).filter(({ id }) => (address['kind'] ?? id) === id);
  const rolesOf = (member: Member) => roles.filter(({ user_id }) => user_id === member.user_id);

  return (
    <>
      <div className="filters" role="search" aria-label="Filters of members">
        <FilterByText label="Filter by person" value={address['name'] ?? ''} onChange={(name) => change({ name })} />
        <Choose
          label="Kind"
          inline
          none="All kinds"
          choices={choicesIn(kinds)}
          value={address['kind'] ?? null}
          onChange={(kind) => change({ kind })}
        />
        <span className="meta">
          {permission.allowed ? 'Choose a role to change it' : `Roles are given by ${permission.needs}`}
        </span>
        {permission.allowed && (
          <Button className="button primary" onPress={() => setIsAdding(true)}>
            Add a member
          </Button>
        )}
      </div>
      {error !== null && <Problem error={error} />}
      {shown.length === 0 ? (
        <div className="panel">
          {members.length === 0 ? (
            <Empty title="The env has no members">Site admins and bots see it all the same.</Empty>
          ) : (
            <Empty title="No member matches these filters" />
          )}
        </div>
      ) : (
        <div className="panel matrix-frame" role="region" aria-label="Roles of members" tabIndex={0}>
          <table className="matrix">
            <thead>
              <tr>
                <th scope="col">Person</th>
                <th scope="col">In the env</th>
                {columns.map(({ id, words }) => (
                  <th key={id} scope="col">
                    {words}
                  </th>
                ))}
                <th scope="col">
                  <span className="visually-hidden">Remove</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.slice(0, mostLines).map(({ member, user, name }) => (
                <MemberLine
                  key={member.id}
                  member={member}
                  name={name}
                  note={user?.is_active === false ? 'not active' : (user?.email ?? '')}
                  roles={rolesOf(member)}
                  kinds={columns}
                  mayChange={permission.allowed}
                  // Only a site admin can change their own membership.
                  mayChangeMembership={permission.allowed && (identity.is_admin || member.user_id !== identity.id)}
                  onRemove={() => setRemoved(member)}
                  onError={setError}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {shown.length > mostLines && (
        <p className="meta below-table">
          {mostLines} of {shown.length.toLocaleString()} members are shown: filter by person to see others.
        </p>
      )}
      <p className="meta below-table">
        Owners create, change, move, disable and delete deployments of the kind; maintainers change version and inputs.
        Admins of the env and site admins may do all of it without a role for the kind; bots count as maintainers.
      </p>
      {isAdding && <AddMember env={env} members={members} onClose={() => setIsAdding(false)} />}
      {removed && (
        <Remove
          env={env}
          member={removed}
          roles={rolesOf(removed)}
          onClose={() => setRemoved(null)}
          onError={setError}
        />
      )}
    </>
  );
}

interface RemoveProps {
  env: EnvRow;
  member: Member;
  roles: KindRole[];
  onClose: () => void;
  onError: (error: unknown) => void;
}

function Remove({ env, member, roles, onClose, onError }: RemoveProps) {
  const name = nameIn(useUsers(), member.user_id);
  const kinds = useKinds();
  return (
    <Confirm
      title={`Remove ${name} from ${env.name}`}
      action="Remove"
      destroys
      isOpen
      onClose={onClose}
      onConfirm={async () => {
        await removeMember(member);
        say(`${name} is no longer a member of ${env.name}`, {
          words: 'Undo',
          onAction: () => void addAgain(member, roles).catch(onError),
        });
      }}
    >
      <p>From the next request on, {name} sees nothing of this env. They lose:</p>
      <ul>
        <li>the role {member.role} in the env</li>
        {roles.map(({ id, kind_id, role }) => (
          <li key={id}>
            {role} of {nameIn(kinds, kind_id)}
          </li>
        ))}
      </ul>
      <p className="muted">Tasks that they have scheduled here will fail. What they have deployed keeps running.</p>
    </Confirm>
  );
}
