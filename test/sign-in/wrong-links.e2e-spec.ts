import { hash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { NoResourceError } from '../../src/errors/domain-errors';
import { SingleSignOnService } from '../../src/identity-providers/sign-in/single-sign-on.service';
import { InvitationAcceptanceService } from '../../src/invitations/invitation-acceptance.service';
import { PasswordLinksService } from '../../src/sign-in/password-links.service';
import { SecondStepService } from '../../src/sign-in/second-step.service';
import { generateToken } from '../../src/users/token';
import { Browser, passwordLink } from '../support/sessions';
import { useWorld } from '../support/world';

const MAX_FAILED_KEYS = 3;

describe('a secret that a stranger guesses', () => {
  const tested = useWorld({ MAX_FAILED_KEYS: String(MAX_FAILED_KEYS), TRUST_PROXY: '1' });
  let address = 0;
  let headers: { 'X-Forwarded-For': string };

  beforeEach(() => {
    headers = { 'X-Forwarded-For': `192.0.2.${++address}` };
  });
  afterEach(() => vi.restoreAllMocks());

  const KINDS: [kind: string, open: () => Promise<{ status: number }>][] = [
    [
      'a link to set a password',
      () => new Browser(tested.world).open(`/password/${generateToken()}`, headers),
    ],
    ['an invitation', () => new Browser(tested.world).open(`/invitation/${generateToken()}`, headers)],
    [
      'a return from an identity provider',
      () => {
        const token = generateToken();
        const state = hash('sha256', `state ${token}`, 'base64url');
        return new Browser(tested.world).open(`/sign-in/sso/main/callback?code=x&state=${state}`, {
          ...headers,
          Cookie: `__Host-pms-sso=${token}`,
        });
      },
    ],
    [
      'a challenge',
      () =>
        new Browser(tested.world).open('/sign-in/second-factor', {
          ...headers,
          Cookie: `__Host-pms-challenge=${generateToken()}`,
        }),
    ],
  ];

  it.each(KINDS)('counts like a wrong key if it is %s', async (_kind, open) => {
    const statuses = [];
    for (let count = 0; count <= MAX_FAILED_KEYS; count++) statuses.push((await open()).status);
    expect(statuses.slice(0, -1)).not.toContain(429);
    expect(statuses.at(-1)).toBe(429);
  });

  it.each(KINDS)('is looked up only twice at once past the limit if it is %s', async (_kind, open) => {
    const { world } = tested;
    for (let count = 0; count <= MAX_FAILED_KEYS; count++) await open();
    let running = 0;
    let most = 0;
    let lookups = 0;
    const slowly = async (): Promise<never> => {
      lookups++;
      most = Math.max(most, ++running);
      // Long enough for the other requests to arrive.
      for (let turns = 0; turns < 50; turns++) await turn();
      running--;
      throw new NoResourceError('link');
    };
    vi.spyOn(world.service(PasswordLinksService), 'find').mockImplementation(slowly);
    vi.spyOn(world.service(InvitationAcceptanceService), 'find').mockImplementation(slowly);
    vi.spyOn(world.service(SecondStepService), 'findUser').mockImplementation(() =>
      slowly().catch(() => undefined),
    );
    vi.spyOn(world.service(SingleSignOnService), 'take').mockImplementation(() =>
      slowly().catch(() => undefined),
    );
    await Promise.all(Array.from({ length: 20 }, open));
    expect({ lookups, most }).toEqual({ lookups: 20, most: 2 });
  });

  it('is not looked up if it has not the form of a token', async () => {
    const find = vi.spyOn(tested.world.service(PasswordLinksService), 'find');
    expect((await new Browser(tested.world).open('/password/guess', headers)).status).toBe(404);
    expect(find).not.toHaveBeenCalled();
  });

  it('keeps nobody at the address from a link that works', async () => {
    const { world } = tested;
    const [, openWrong] = KINDS[0] as (typeof KINDS)[number];
    for (let count = 0; count <= MAX_FAILED_KEYS; count++) await openWrong();
    const path = await passwordLink(world, (await world.addUser()).id);
    expect((await new Browser(world).open(path, headers)).status).toBe(200);
  });
});
