import type { HandlerContext } from '@berth/shared/bus/rpc/handler';
import { implement } from '@berth/shared/bus/rpc/implement';
import { type LoginCallback, logins } from '@berth/shared/contracts/resources/logins';
import { recordAudit } from '@berth/shared/db/audit/audit-log';
import { AppError } from '@berth/shared/errors';
import type { LoginAttempts } from './login-attempts.ts';
import type { JwtIssuer } from '../tokens/jwt-issuer.ts';
import type { StoredUser } from '../users/user-repository.ts';
import { beforeDeadline } from './before-deadline.ts';
import { type IdentityProvider, type LoginSecrets, newLoginSecrets } from './identity-provider.ts';
import { type SignInDeps, signInPerson } from './sign-in-person.ts';

export interface LoginHandlersDeps extends SignInDeps {
  identityProvider: IdentityProvider;
  loginAttempts: LoginAttempts;
  jwtIssuer: Pick<JwtIssuer, 'forSession'>;
}

type Context = Pick<HandlerContext, 'remainingMs' | 'requestId'>;

export const loginHandlers = (deps: LoginHandlersDeps) => {
  const { db, identityProvider, loginAttempts, jwtIssuer } = deps;

  async function signIn(
    { auth_code, iss }: LoginCallback,
    secrets: LoginSecrets,
    context: Context,
  ): Promise<StoredUser> {
    const person = await beforeDeadline(context, identityProvider.personBehind({ code: auth_code, iss }, secrets));
    return signInPerson(deps, person, context.requestId);
  }

  /** Only attempts that we started are logged: anyone can make up a state. */
  const auditRefusal = async ({ code, message }: AppError, { requestId }: Context): Promise<void> => {
    if (code !== 'invalid_login' && code !== 'login_refused') return;
    const by = { identity: undefined, requestId };
    const details = { code, reason: message };
    const action = 'refuse login';
    await recordAudit(db, { by, action, resource: logins.name, objectId: null, envId: null, details });
  };

  return implement(logins, {
    start: async ({ query }, context) => {
      const secrets = newLoginSecrets();
      const redirect_url = await beforeDeadline(context, identityProvider.authorizationUrl(secrets));
      await loginAttempts.begin(secrets, query.challenge);
      return { redirect_url, state: secrets.state };
    },

    finish: async ({ body }, context) => {
      const secrets = await loginAttempts.useUp(body.state, body.verifier);
      try {
        const user = await signIn(body, secrets, context);
        const { access_token } = await jwtIssuer.forSession(user);
        return { access_token };
      } catch (error) {
        if (error instanceof AppError) await auditRefusal(error, context);
        throw error;
      }
    },
  });
};
