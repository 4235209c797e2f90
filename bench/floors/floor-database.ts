import { Client } from 'pg';

/** A database for the floors on the platform's server. */
export async function createFloorDatabase(adminUrl: string): Promise<string> {
  const client = new Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const { rowCount } = await client.query("select from pg_database where datname = 'bench'");
    if (rowCount === 0) await client.query('create database bench');
  } finally {
    await client.end();
  }
  const url = new URL(adminUrl);
  url.pathname = '/bench';
  return url.href;
}
