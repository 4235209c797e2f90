import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sampleChart } from '@berth/devstack/journey/publish-sample-chart';
import { beforeAll, describe, expect, test } from 'vitest';
import { commands, examplesIn } from '../../../scripts/cli/cli-reference.ts';
import type { Grounds } from '../grounds/grounds.ts';
import type { Ran } from '../grounds/ran.ts';
import { runHere } from '../grounds/run-here.ts';

/** Examples whose exit code is not 0 here, and why. */
const otherwise: Readonly<Record<string, number>> = {
  // These end with 1 because something would change.
  'berth diff web -e prod --set replicas=5': 1,
  'berth diff web -e prod --newest': 1,
  // The chart has another workload, its action is called through an ingress, and its task has ended.
  'berth restart web -e prod StatefulSet/db': 3,
  'berth action web say -e prod --set words="Good evening" --wait': 3,
  'berth cancel web -e prod --reason "wrong chart"': 3,
  'berth retry web -e prod --wait': 3,
  // Simulated pods have no logs.
  'berth logs web -e prod --pod --tail 20': 1,
  // Each pod has a name of its own.
  'berth logs web -e prod --pod helloweb-web-7d9f --container sidecar -f': 3,
};

/** Examples that need a browser or never end; other tests run these commands. */
const elsewhere = [
  'berth login https://berth.example.com',
  'berth login https://berth.example.com --no-browser',
  'berth get deployments -e prod --watch',
  // Only a shell inserts the names, and later tests need these deployments; deleting several rows has a test of its own.
  'berth delete $(berth get deployments -e prod -o name) -e prod --yes',
  'berth context use berth.example.com',
  // The package is not built here: the folder is checked instead.
  'berth chart lint hello-web-1.2.0.tgz --json',
  'berth chart preview hello-web-1.2.0.tgz -f inputs.yaml --json',
];

/** The help of `berth` itself and of each group, such as `berth token`. */
const groups = new Set(commands.flatMap(({ route }) => route.split(' ').slice(1, -1)));
const ofGroups = await Promise.all(
  [[], ...[...groups].map((group) => [group])].map(async (words) => ({
    help: (await runHere([...words, '--help'])).out,
  })),
);
const all = new Set([...ofGroups, ...commands].flatMap((one) => examplesIn(one)));
const examples = [...all].filter((one) => !elsewhere.includes(one));
/** First the export of a folder, then its comparison while nothing has changed, and last the deletion of what other examples need. */
const places = [/^berth export .*--to/, /^berth (?:diff -f|apply)/, /^berth (?!delete|token revoke)/, /^/];
const placeOf = (example: string): number => places.findIndex((place) => place.test(example));
const inOrder = examples.toSorted((a, b) => placeOf(a) - placeOf(b));

/** The examples of all help texts, as a shell runs them. */
export function testExamples(grounds: () => Grounds): void {
  describe('the examples in the help of berth', () => {
    let here: (text: string) => string;
    let env: Record<string, string>;
    let newestTask = '';

    beforeAll(async () => {
      const { folder, platform } = grounds();
      const files = join(folder, 'examples');
      await mkdir(files);
      env = {
        BERTH_URL: platform.stack.url,
        BERTH_TOKEN: platform.adminToken,
        BERTH_CONFIG: join(files, 'contexts.json'),
      };
      await platform.person('grace');
      await writeFile(join(files, 'password'), 'swordfish-5');
      await writeFile(join(files, 'values.yaml'), 'greeting: Hello\nreplicas: 1\n');
      here = (text) =>
        text
          .replaceAll('envs/prod', join(files, 'envs'))
          .replaceAll(/\bprod\b/g, 'clients')
          .replaceAll('HelloWeb@1.2.0', 'HelloWeb@1.0.0')
          .replaceAll('https://berth.example.com', platform.stack.url)
          .replaceAll('cluster west', `cluster ${grounds().sample.cluster.name}`)
          .replaceAll('values.yaml', join(files, 'values.yaml'))
          .replaceAll('--from-file password', `--from-file ${join(files, 'password')}`)
          .replaceAll('./hello-web', sampleChart.folder);
      await run('berth deploy web -e prod --chart HelloWeb@1.2.0 --set greeting=Hi --set replicas=2 --wait');
    });

    async function run(example: string): Promise<Ran> {
      const [words = '', input] = here(example)
        .replace(/ > .*$/, '')
        .split(' < ');
      const args = [...words.matchAll(/"([^"]*)"|'([^']*)'|(\S+?)="([^"]*)"|(\S+)/g)].map(
        ([, double, single, name, value, plain]) => double ?? single ?? plain ?? `${name}=${value}`,
      );
      const given = args.slice(1).map((word) => (word.includes('\u2026') ? newestTask : word));
      return runHere(given, {
        env,
        isTerminal: false,
        input: input === 'token' ? (env['BERTH_TOKEN'] ?? '') : 'swordfish-4',
      });
    }

    test.for(inOrder.map((example) => [example]))('%s', async ([example = '']) => {
      if (example.includes('\u2026')) {
        const { out } = await run('berth tasks web -e prod -o json');
        const done: { id: string; status: string; operation: object }[] = JSON.parse(out);
        newestTask = done.find(({ status, operation }) => status === 'Done' && 'Install' in operation)?.id ?? '';
      }
      const ran = await run(example);

      expect(ran).toMatchObject({ code: otherwise[example] ?? 0 });
      expect(ran.out + ran.err).not.toContain('swordfish');
    });
  });
}
