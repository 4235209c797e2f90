import { signIn } from '@berth/devstack/journey/sign-in';
import { afterAll, beforeAll, describe } from 'vitest';
import { testAccessibility } from './console/accessibility.ts';
import { testChanges } from './console/changing.ts';
import { testAdministering } from './console/administering.ts';
import { testConnection } from './console/connection.ts';
import { deployed } from './console/browser/deploy.ts';
import type { Grounds } from './console/browser/grounds.ts';
import { testMainJob } from './console/main-job.ts';
import { openBrowser } from './console/browser/open-browser.ts';
import { testOperating } from './console/operating.ts';
import { testRegistries } from './console/registries.ts';
import { testSafety } from './console/safety.ts';
import { testSignIn } from './console/signing-in.ts';
import { testDialogs } from './console/states/dialogs.ts';
import { testReadmePictures } from './console/states/readme-pictures.ts';
import { testStates } from './console/states/states.ts';
import { testWatching } from './console/watching.ts';
import { startPlatform } from './setup/platform.ts';

let grounds: Grounds;

beforeAll(async () => {
  const [platform, browser] = await Promise.all([startPlatform(), openBrowser()]);
  const sample = await platform.sample('demo');
  const deployment = await deployed({ platform, sample }, { name: 'shown' });
  const sessions = new Map<string, Promise<string>>();
  const sessionOf = (name: string): Promise<string> => {
    const session = sessions.get(name) ?? signIn({ stack: platform.stack, signal: AbortSignal.timeout(60_000) }, name);
    sessions.set(name, session);
    return session;
  };
  grounds = { platform, browser, sample, deployment, sessionOf };
});
afterAll(async () => {
  await grounds?.browser.close();
  await grounds?.platform[Symbol.asyncDispose]();
});

const inTurn = { concurrent: false };

// They run at the same time, since each mostly waits for tasks to end and for states to last.
describe.concurrent('people who administer', () => {
  describe('the console', inTurn, () => {
    testSignIn(() => grounds);
    testAdministering(() => grounds);
    testRegistries(() => grounds);
  });
});
describe.concurrent('people who watch', () => {
  describe('the console', inTurn, () => {
    testWatching(() => grounds);
    testAccessibility(() => grounds);
    testOperating(() => grounds);
  });
});
describe.concurrent('people who deploy', () => {
  describe('the console', inTurn, () => {
    testMainJob(() => grounds);
    testChanges(() => grounds);
    testSafety(() => grounds);
  });
});

testReadmePictures(() => grounds);
testConnection(() => grounds);
testStates(() => grounds);
testDialogs(() => grounds);
