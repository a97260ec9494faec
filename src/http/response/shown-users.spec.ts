import { userReplacer } from './shown-users';

const user = (id: number) => ({
  id,
  mailAddress: `${id}@example.com`,
  vendorAccount: { vendorId: `vendor-${id}`, name: 'Dana', uniqueId: 'dana' },
});

const shown = (value: unknown, ...options: Parameters<typeof userReplacer>): unknown =>
  JSON.parse(JSON.stringify(value, userReplacer(...options)));

describe(userReplacer.name, () => {
  const issue = {
    id: 3,
    createdUser: user(1),
    notifications: [{ user: user(2) }, null],
    text: 'mailAddress',
  };

  it('returns undefined without options', () => {
    expect(userReplacer()).toBeUndefined();
  });

  it('hides the mail addresses of all but the viewer, and changes nothing else', () => {
    const before = structuredClone(issue);
    expect(shown(issue, undefined, 2)).toEqual({
      ...issue,
      createdUser: { ...user(1), mailAddress: '' },
    });
    expect(issue).toEqual(before);
  });

  it('hides a mail address without an id', () => {
    expect(shown([{ mailAddress: 'a@example.com' }], undefined, 1)).toEqual([{ mailAddress: '' }]);
  });

  it('repeats each vendor account under another name', () => {
    const alias = { name: 'otherAccount', idName: 'otherId' };
    const both = (id: number) => ({
      ...user(id),
      otherAccount: { otherId: `vendor-${id}`, name: 'Dana', uniqueId: 'dana' },
    });
    expect(shown([user(1), { users: [user(2)] }], alias)).toEqual([both(1), { users: [both(2)] }]);
    expect(shown(user(1), alias, 2)).toEqual({ ...both(1), mailAddress: '' });
  });
});
