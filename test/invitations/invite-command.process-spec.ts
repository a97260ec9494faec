import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InvitationDto, type NewInvitationDto } from '../../src/invitations/dto/invitation.dto';
import { ApiClient } from '../support/api';
import { Child } from '../support/child';
import { type CommandResult, Commands } from '../support/pms';
import { type Environment } from '../support/world';
import { ACCOUNT } from './invite';
import { Browser } from '../support/sessions';

const ADMIN_KEY = 'key-of-the-administrator-0123456789';

describe('pms user invite', () => {
  const commands = new Commands();
  let folder: string;
  let settings: Environment;
  let service: Child;
  let admin: ApiClient;
  let origin: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pms-invite-'));
    settings = {
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'service.db')}`,
      STORAGE_URL: `file:${folder}/files`,
      GIT_PATH: '/nonexistent/git',
      GIT_ROOT: `${folder}/git`,
      ADMIN_API_KEY: ADMIN_KEY,
      DEMO_DATA: 'true',
    };
    service = await start();
  });
  afterAll(async () => {
    await service.kill();
    await commands.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Starts a service, which `admin` calls. */
  async function start(): Promise<Child> {
    const child = new Child('run-service', JSON.stringify(settings));
    for (;;) {
      const line = await child.nextLine();
      if (line === undefined) throw new Error('The service did not start.');
      const address = /^ *Service +(http:\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      admin = new ApiClient(address, ADMIN_KEY);
      origin = new URL(address).origin;
      return child;
    }
  }

  const pms = (words: string): Promise<CommandResult> => commands.run(words.split(' '), settings);

  it('prints the addresses with the links that the running service makes, one per line', async () => {
    const { exitCode, stdout, stderr } = await pms(
      'user invite kim@example.com sam@example.com --role reporter --projects DEMO',
    );
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^Each works once, until 20\S+Z\..*\nLinks begin with http:\/\/127\.0\.0\.1:0: set PUBLIC_URL/,
      ),
    ]);
    const [addresses, links] = [0, 1].map((column) =>
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[column]),
    );
    expect(addresses).toEqual(['kim@example.com', 'sam@example.com']);
    for (const link of links!) {
      expect(link).toMatch(/^http:\/\/[\w.:]+\/invitation\/[\w-]{43}$/);
    }
    const visitor = new Browser(origin);
    const sent = await visitor.submit(new URL(links![0]!).pathname, { ...ACCOUNT, userId: 'kim' });
    expect(sent.location).toBe('/account');
    const { body: members } = await admin.get<{ userId: string; roleType: number }[]>('/projects/DEMO/users');
    expect(members).toContainEqual(expect.objectContaining({ userId: 'kim', roleType: 3 }));
    const { body } = await admin.get<InvitationDto[]>('/invitations');
    expect(body).toEqual([
      expect.objectContaining({ mailAddress: 'sam@example.com', createdUser: null, acceptedUser: null }),
      expect.objectContaining({
        mailAddress: 'kim@example.com',
        createdUser: null,
        acceptedUser: expect.objectContaining({ userId: 'kim' }) as unknown,
      }),
    ]);
  });

  it('refuses addresses of users, texts that are none, and unknown projects', async () => {
    const failing = (line: RegExp): object => ({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringMatching(line) as unknown,
    });
    expect(await pms('user invite admin@example.com')).toEqual(failing(/admin@example\.com/));
    expect(await pms('user invite nowhere')).toEqual(failing(/^"nowhere" is not a mail address\./));
    expect(await pms('user invite a@example.com --projects NONE')).toEqual(failing(/no project "NONE"/));
    expect(await pms('user invite')).toMatchObject({ exitCode: 2 });
  });

  it('prints JSON, also when no service is running', async () => {
    await service.kill();
    const { stdout } = await pms('user invite alex@example.com --json');
    expect(JSON.parse(stdout) as NewInvitationDto[]).toEqual([
      expect.objectContaining({ mailAddress: 'alex@example.com', roleType: 2, projectIds: [], teamIds: [] }),
    ]);
  });
});
