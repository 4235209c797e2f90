import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface OciIndex {
  manifests: { digest: string }[];
}
type DockerManifests = { Config: string }[];

/** The digest that identifies an archived image: that of its manifest (`oci`) or of its configuration (`docker`). */
export async function digestOf(archive: string): Promise<string> {
  const read = async (name: string) =>
    (await run('tar', ['--extract', '--to-stdout', '--file', archive, name], { timeout: 60_000 })).stdout;
  if (archive.endsWith('.oci.tar')) {
    const { manifests }: OciIndex = JSON.parse(await read('index.json'));
    return manifests[0]?.digest ?? '';
  }
  const [image]: DockerManifests = JSON.parse(await read('manifest.json'));
  return `sha256:${image?.Config.replace(/\.json$/, '')}`;
}
