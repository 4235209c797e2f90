import type { HandlerContext } from '@berth/bus/rpc/handler';
import { implement } from '@berth/bus/rpc/implement';
import { type LoginCallback, logins } from '@berth/contracts/resources/accounts/logins';
import type { DeniedAttempts } from '@berth/db/audit/denied-attempts';
import { AppError } from '@berth/contracts/errors';
import type { LoginAttempts } from './login-attempts.ts';
import type { JwtIssuer } from '../tokens/jwt-issuer.ts';
import type { StoredUser } from '../users/stored-user.ts';
import { confirmationOf } from './confirmation-of.ts';
import { beforeDeadline } from './before-deadline.ts';
import { type IdentityProvider, type LoginSecrets, newLoginSecrets } from './identity-provider.ts';
import { type SignInDeps, signInPerson } from './sign-in-person.ts';

export interface LoginHandlersDeps extends SignInDeps {
  identityProvider: IdentityProvider;
  loginAttempts: LoginAttempts;
  jwtIssuer: Pick<JwtIssuer, 'forSession'>;
  denied: Pick<DeniedAttempts, 'noteSignIn'>;
}

type Context = Pick<HandlerContext, 'network' | 'remainingMs' | 'requestId'>;

export const loginHandlers = (deps: LoginHandlersDeps) => {
  const { denied, identityProvider, loginAttempts, jwtIssuer } = deps;

  async function signIn(
    { auth_code, iss }: LoginCallback,
    secrets: LoginSecrets,
    context: Context,
  ): Promise<StoredUser> {
    const person = await beforeDeadline(context, identityProvider.personBehind({ code: auth_code, iss }, secrets));
    return signInPerson(deps, person, context.requestId);
  }

  function noteRefusal({ code, message: reason }: AppError, { network, requestId }: Context): void {
    // Anything else is an outage, and no attempt to sign in was refused.
    if (code !== 'invalid_login' && code !== 'login_refused') return;
    const details = { code, reason };
    denied.noteSignIn({ requestId, resource: logins.name, action: 'refuse login', address: network, details });
  }

  return implement(logins, {
    start: async ({ query }, context) => {
      const secrets = newLoginSecrets();
      const redirect_url = await beforeDeadline(context, identityProvider.authorizationUrl(secrets));
      // Stored only after the provider has answered, so that its outages leave no rows behind.
      await loginAttempts.begin(secrets, { challenge: query.challenge, handTo: query.hand_to });
      return { redirect_url, state: secrets.state, confirmation: confirmationOf(secrets.state) };
    },

    describe: async ({ query: { state } }) => ({
      hand_to: await loginAttempts.destinationOf(state),
      confirmation: confirmationOf(state),
    }),

    finish: async ({ body }, context) => {
      try {
        // Before the provider is called: an intercepted callback cannot be tried twice.
        const secrets = await loginAttempts.useUp(body.state, body.verifier);
        const user = await signIn(body, secrets, context);
        const { access_token } = await jwtIssuer.forSession(user);
        return { access_token };
      } catch (error) {
        if (error instanceof AppError) noteRefusal(error, context);
        throw error;
      }
    },
  });
};
