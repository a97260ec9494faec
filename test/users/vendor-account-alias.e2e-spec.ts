import { QUICK_DELIVERY, useDeliveries } from '../support/webhooks';
import { useWorld } from '../support/world';

interface Account {
  vendorId: string;
  name: string;
  uniqueId: string;
}

interface AliasedUser {
  id: number;
  vendorAccount: Account;
  otherAccount: { otherId: string } & Omit<Account, 'vendorId'>;
}

describe('VENDOR_ACCOUNT_ALIAS', () => {
  const tested = useDeliveries(useWorld({ ...QUICK_DELIVERY, VENDOR_ACCOUNT_ALIAS: 'otherAccount:otherId' }));

  /** Sends a request without the check against the OpenAPI document, which does not contain the setting's name. */
  const read = async (path: string): Promise<unknown> => {
    const { baseUrl } = tested.world.server;
    const answer = await fetch(baseUrl + path, { headers: { 'X-API-Key': tested.owner.key } });
    expect(answer.status).toBe(200);
    return answer.json();
  };

  /** Returns the users in a value, wherever they are. */
  const usersIn = (value: unknown): AliasedUser[] => {
    const users: AliasedUser[] = [];
    JSON.parse(JSON.stringify(value), (_key, part: AliasedUser | null) => {
      if (typeof part === 'object' && part !== null && 'vendorAccount' in part) users.push(part);
      return part;
    });
    return users;
  };

  const expectBoth = (value: unknown): void => {
    const users = usersIn(value);
    expect(users.length).toBeGreaterThan(0);
    for (const { vendorAccount, otherAccount } of users) {
      const { vendorId, ...rest } = vendorAccount;
      expect(otherAccount).toEqual({ otherId: vendorId, ...rest });
    }
  };

  it('adds the alias to every user in responses and webhook payloads', async () => {
    const { project, owner } = tested;
    const endpoint = tested.receiver.endpoint();
    await fetch(`${tested.world.server.baseUrl}/projects/${project.key}/webhooks`, {
      method: 'POST',
      headers: { 'X-API-Key': owner.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Chat', hookUrl: endpoint.url, allEvent: true }),
    });
    await fetch(`${tested.world.server.baseUrl}/issues/${project.issueKey}/comments`, {
      method: 'POST',
      headers: { 'X-API-Key': owner.key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ content: 'Hello' }),
    });
    for (const path of [
      '/users/myself',
      `/projects/${project.key}/users`,
      `/issues/${project.issueKey}`,
      `/issues/${project.issueKey}/comments`,
      `/issues?projectId[]=${project.id}`,
      `/projects/${project.key}/activities`,
    ]) {
      expectBoth(await read(path));
    }
    const [request] = await endpoint.received(1);
    expectBoth(JSON.parse(request?.body ?? ''));
  });
});
