import { createHash, randomBytes } from 'node:crypto';
import { type Client, ProblemError, unwrap, WaitedTooLong } from '@berth/client';
import { CliFailure } from '../../failure/cli-failure.ts';
import { type Cli, note } from '../../terminal/cli.ts';
import { withProgress } from '../../terminal/progress.ts';
import { type HandedCode, handedCode } from './handed-code.ts';
import { listenForCode } from './loopback.ts';
import { openBrowser } from './open-browser.ts';

/** As long as the platform keeps a login that was started. */
const withinMs = 600_000;

/** Signs in with the browser of this computer, and returns the session. */
export async function signInHere(cli: Cli, client: Client): Promise<string> {
  const loopback = await listenForCode(cli.env);
  try {
    const login = await start(client, `127.0.0.1:${loopback.port}`);
    const { startUrl, code } = loopback.expect({ address: login.redirect_url, state: login.state });
    if (await openBrowser(cli, startUrl)) note(cli, 'your browser opens; where there is none, use --no-browser');
    else note(cli, `no browser could be started; open this address on this computer:\n  ${startUrl}`);
    note(cli, compare(login.confirmation));
    return await finish(client, login, await withProgress(cli, 'waiting for the browser', inTime(code)));
  } finally {
    await loopback.close();
  }
}

/** Signs in with a browser anywhere: the person brings the code, which is the next line of standard input. */
export async function signInElsewhere(cli: Cli, client: Client): Promise<string> {
  const login = await start(client, 'screen');
  note(cli, `open this address in a browser:\n  ${login.redirect_url}`);
  note(cli, `${compare(login.confirmation)}\nthen paste the code that it shows, and Enter:`);
  const line = await inTime(cli.readLine(AbortSignal.timeout(withinMs)));
  const handed = handedCode(line?.trim() ?? '', login.state);
  if (!handed) throw new CliFailure('usage', 'this is not the code that the page shows for this sign-in: start again');
  return finish(client, login, handed);
}

interface Login {
  redirect_url: string;
  state: string;
  confirmation: string;
  verifier: string;
}

async function start({ logins }: Client, hand_to: string): Promise<Login> {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const started = await logins.start({ query: { challenge, hand_to } });
  const isOld = started.ok
    ? started.value.confirmation === undefined
    : started.problem.errors.some(({ path }) => path === 'query.hand_to');
  if (isOld) throw new CliFailure('refused', 'this platform is too old for that: berth login URL --with-token < token');
  if (!started.ok) throw new ProblemError(started.problem);
  const { redirect_url, state, confirmation = '' } = started.value;
  return { redirect_url, state, confirmation, verifier };
}

const compare = (confirmation: string): string =>
  `sign in there, and confirm it only if the page shows ${confirmation}`;

async function finish({ logins }: Client, { state, verifier }: Login, code: HandedCode): Promise<string> {
  return unwrap(await logins.finish({ body: { ...code, state, verifier } })).access_token;
}

const inTime = <T>(work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const late = (): void => reject(new WaitedTooLong({ what: 'the sign-in', withinMs }));
    AbortSignal.timeout(withinMs).addEventListener('abort', late, { once: true });
    work.then(resolve, reject);
  });
