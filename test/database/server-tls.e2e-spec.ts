import { join } from 'node:path';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { createLastingTestDatabase, type LastingTestDatabase } from '../support/database';
import { applyTemplate } from '../support/template';
import { World } from '../support/world';

/** A MySQL server creates its own authority and certificate; a MariaDB server before 11.4 does not. */
const describeOnMysql = describe.runIf(process.env.TEST_DATABASE_URL?.startsWith('mysql:'));

describeOnMysql('a connection with TLS', () => {
  let database: LastingTestDatabase;
  let world: World | undefined;

  beforeAll(async () => {
    database = await createLastingTestDatabase();
    await applyTemplate(database.url);
  });
  afterEach(async () => {
    await world?.stop();
    world = undefined;
  });
  afterAll(() => database.drop());

  const start = async (parameters: string): Promise<void> => {
    world = await World.start({ DATABASE_URL: `${database.url}?${parameters}`, LOG_LEVEL: 'silent' });
  };

  it('trusts the authority that ssl-ca names', async () => {
    await start(`ssl-ca=${encodeURIComponent(await authorityFile(database.url))}`);
    const [status] =
      (await world?.dataSource.query<{ Value: string }[]>("SHOW SESSION STATUS LIKE 'Ssl_cipher'")) ?? [];
    expect(status?.Value).toMatch(/^TLS_|-/);
  });

  it('refuses a self-signed certificate chain without ssl-ca', async () => {
    await expect(start('ssl=true')).rejects.toThrow('self-signed certificate in certificate chain');
  });
});

/** Returns the file of the server's own authority, which must be on this machine. */
async function authorityFile(url: string): Promise<string> {
  const connection = await createConnection(url);
  try {
    const [[row]] = await connection.query<RowDataPacket[]>('SELECT @@datadir AS folder, @@ssl_ca AS file');
    return join(String(row?.folder), String(row?.file));
  } finally {
    await connection.end();
  }
}
