import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { nameIn, useEnvs, useUsers } from '../../api/names.ts';
import { allOf } from '../../api/reads.ts';
import { Empty } from '../../ui/reading/problem.tsx';
import { Reading } from '../../ui/reading/reading.tsx';
import type { OfDeployment } from '../facts/deployment-row.ts';

const adminWords = 'env admin: changes and deletes everything here';
const wordsFor = {
  Owner: 'owner of the kind: changes, moves, disables and deletes it',
  Maintainer: 'maintainer of the kind: changes version and inputs',
  none: 'reads only',
};

/** Who may see and change the deployment, and why. */
export default function Access({ deployment: { env_id, kind_id } }: OfDeployment) {
  const users = useUsers();
  const envs = useEnvs();
  const members = useQuery(allOf('envUserPermissions', { env_id }));
  const roles = useQuery(allOf('deploymentPermissions', { env_id }));
  const rolesHere = new Map(
    roles.data?.filter((role) => role.kind_id === kind_id).map(({ user_id, role }) => [user_id, role]),
  );
  return (
    <section className="section">
      <header>
        <h2>Members of {nameIn(envs, env_id)}</h2>
        <Link className="meta" to="/envs/$id/{-$tab}" params={{ id: env_id, tab: 'members' }}>
          Change in the env
        </Link>
      </header>
      <Reading of={members}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="The env has no members">Site admins see and change everything.</Empty>
          ) : (
            <ul className="lines">
              {rows.map(({ id, user_id, role }) => (
                <li key={id}>
                  <span />
                  <span>{nameIn(users, user_id)}</span>
                  <span className="meta">
                    {role === 'Admin' ? adminWords : wordsFor[rolesHere.get(user_id) ?? 'none']}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Reading>
      <p className="meta">Bots count as maintainers. Site admins see and change everything.</p>
    </section>
  );
}
