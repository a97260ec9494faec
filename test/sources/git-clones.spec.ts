import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { readEnvironment } from '../../src/config/environment';
import { GitProgram } from '../../src/git/git-program';
import { AddressGuard } from '../../src/outgoing/address-guard';
import { type Resolver } from '../../src/outgoing/name-resolver';
import { GitClones } from '../../src/sources/git-clones';
import { Spool } from '../../src/sources/spool/spool';
import { describeWithGit, WITH_GIT } from '../support/git';
import { TemporaryFolder } from '../support/sqlite';

describeWithGit('a clone of a source that a user has named', () => {
  const folder = new TemporaryFolder();
  let server: Server;
  let hosts: (string | undefined)[];
  let number = 0;

  beforeAll(async () => {
    server = createServer((request, response) => {
      hosts.push(request.headers.host);
      response.writeHead(404).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
    folder.remove();
  });

  beforeEach(() => {
    hosts = [];
  });

  const port = (): number => (server.address() as AddressInfo).port;

  /** Clones from a host, and returns the reason why that fails: the server has no repository. */
  async function clone(host: string, allow: string[], resolver: Resolver): Promise<string> {
    const clones = new GitClones({
      git: new GitProgram(readEnvironment(WITH_GIT)),
      spool: await Spool.open(folder.file(`spool-${++number}`), {}, 1000),
      ...{ origin: `http://${host}:${port()}`, user: 'user', password: 'password' },
      guard: new AddressGuard('IMPORT_SOURCE_ALLOW', allow, resolver),
    });
    let reason = '';
    const cloned = await clones.clone({ name: '1', path: '/repository.git' }, (given) => (reason = given));
    expect(cloned).toBeUndefined();
    return reason;
  }

  const toThisMachine: Resolver = () => Promise.resolve([{ address: '127.0.0.1', family: 4 }]);

  it('connects git to the address that was checked, and does not look the name up again', async () => {
    await clone('git.example.invalid', ['127.0.0.0/8'], toThisMachine);
    expect(hosts).toEqual([`git.example.invalid:${port()}`]);
  });

  it('connects git to no address that is not allowed', async () => {
    expect(await clone('git.example.invalid', [], toThisMachine)).toContain('IMPORT_SOURCE_ALLOW');
    expect(await clone('127.0.0.1', [], toThisMachine)).toContain('IMPORT_SOURCE_ALLOW');
    expect(hosts).toEqual([]);
  });
});
