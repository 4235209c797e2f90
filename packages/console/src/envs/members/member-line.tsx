import { Button } from 'react-aria-components/Button';
import { Icon } from '../../ui/icons.tsx';
import { changeEnvRole, changeKindRole, type KindRole, type Member, type RoleForKind } from './change-roles.ts';
import { RoleCell, type RoleChoice } from './role-cell.tsx';
import { say } from '../../ui/page/toasts.tsx';

interface MemberLineProps {
  member: Member;
  name: string;
  note: string;
  roles: readonly KindRole[];
  kinds: readonly { id: string; words: string }[];
  mayChange: boolean;
  mayChangeMembership: boolean;
  onRemove: () => void;
  onError: (error: unknown) => void;
}

const inEnv: RoleChoice<Member['role']>[] = [
  { id: 'User', words: 'User', note: 'sees the env' },
  { id: 'Admin', words: 'Admin', note: 'changes everything in the env' },
];

type MaybeRole = RoleForKind | 'none';

const forKind: RoleChoice<MaybeRole>[] = [
  { id: 'none', words: 'none', note: 'sees the deployments of the kind' },
  { id: 'Maintainer', words: 'Maintainer', note: 'changes version and inputs' },
  { id: 'Owner', words: 'Owner', note: 'also creates, moves, disables and deletes them' },
];

/** A member of an env with a role for each kind. */
export function MemberLine(props: MemberLineProps) {
  const { member, name, note, roles, kinds, mayChange, mayChangeMembership, onRemove, onError } = props;
  const { env_id, user_id } = member;
  return (
    <tr>
      <th scope="row">
        <span className="person">
          {name}
          <span className="meta">{note}</span>
        </span>
      </th>
      <td>
        <RoleCell
          label={`Role of ${name} in the env`}
          choices={inEnv}
          value={member.role}
          isReadOnly={!mayChangeMembership}
          onError={onError}
          onChange={async (role) => {
            await changeEnvRole(member, role);
            say(`${name} is ${role} in the env`, {
              words: 'Undo',
              onAction: () => void changeEnvRole(member, member.role).catch(onError),
            });
          }}
        />
      </td>
      {kinds.map(({ id, words }) => {
        const held = roles.find(({ kind_id }) => kind_id === id);
        return (
          <td key={id}>
            <RoleCell
              label={`Role of ${name} for ${words}`}
              choices={forKind}
              value={held?.role ?? 'none'}
              none="none"
              isReadOnly={!mayChange}
              onError={onError}
              onChange={(next) =>
                changeKindRole({
                  of: { env_id, user_id, kind_id: id },
                  from: held,
                  to: next === 'none' ? null : next,
                })
              }
            />
          </td>
        );
      })}
      <td>
        {mayChangeMembership && (
          <Button className="button bare small" aria-label={`Remove ${name} from the env`} onPress={onRemove}>
            <Icon name="close" />
          </Button>
        )}
      </td>
    </tr>
  );
}
