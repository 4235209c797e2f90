import { once } from 'node:events';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { rememberedPorts, rememberedSecrets } from './remembered.ts';

test('ports stay the same at the next start, unless another process has taken them', async () => {
  const file = await fileForTest();
  const first = await rememberedPorts(file, ['one', 'two', 'three']);
  const squatter = createServer();
  await once(squatter.listen(first.two, '127.0.0.1'), 'listening');
  onTestFinished(() => void squatter.close());

  const second = await rememberedPorts(file, ['one', 'two', 'three']);

  expect(new Set(Object.values(first)).size).toBe(3);
  expect({ ...second, two: 0 }).toEqual({ ...first, two: 0 });
  expect(second.two).not.toBe(first.two);
});

test('secrets stay the same at the next start, differ by name, and can be read only by their owner', async () => {
  const file = await fileForTest();
  const first = await rememberedSecrets(file, ['auth']);

  const second = await rememberedSecrets(file, ['auth', 'tasks']);

  expect(second.auth).toBe(first.auth);
  expect(second.tasks).not.toBe(second.auth);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

async function fileForTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'berth-remembered-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, 'remembered.json');
}
