import { FIRST_GIVEN_ID } from '../../archives/data/record-spool';
import { Losses } from '../losses';
import { type SourceUser } from '../model';
import { ForgePeople } from './people';

describe(ForgePeople.name, () => {
  let users: SourceUser[];
  let people: ForgePeople;

  beforeEach(() => {
    users = [];
    const builder = {
      losses: new Losses(),
      newId: () => FIRST_GIVEN_ID + users.length + 1,
      user: (user: SourceUser) => void users.push(user),
    };
    people = new ForgePeople(builder as never, 0);
  });

  const ada = { id: 7, login: 'ada', name: ' Ada Lovelace ', mail: 'Ada@example.com', isGone: false };

  it('adds each account once, as its first mention describes it', () => {
    expect([people.idOf(ada), people.idOf({ id: 7, login: 'ada', isGone: true })]).toEqual([7, 7]);
    expect(people.idOf({ id: 8, login: 'build[bot]', mail: 'nonsense', isGone: true })).toBe(8);
    expect(users).toMatchObject([
      { id: 7, userId: 'ada', name: 'Ada Lovelace', mailAddress: 'Ada@example.com', isGone: false },
      { id: 8, userId: 'build-bot', name: 'build[bot]', mailAddress: '', isGone: true },
    ]);
  });

  it('takes deleted accounts for one unknown user', () => {
    const ids = [
      people.idOf(null),
      people.idOf({ id: 9, login: 'Ghost', isGone: false }),
      people.idOf(undefined),
    ];
    expect(new Set(ids).size).toBe(1);
    expect(users).toMatchObject([{ userId: 'unknown-user', isGone: true }]);
    expect(people.idOrNull(null)).toBeNull();
  });

  it('finds the account of a commit by a public address, or by the one that the host gives', () => {
    people.idOf(ada);
    const addresses = ['ada@EXAMPLE.com', '7+ada@users.noreply.github.com', '7-ada@users.noreply.gitlab.com'];
    expect(addresses.map((address) => people.idOfCommitter('Ada', address))).toEqual([7, 7, 7]);
  });

  it('adds other authors of commits as users whom no address or name here fits', () => {
    const [first, again] = ['admin@example.com', 'ADMIN@example.com'].map((address) =>
      people.idOfCommitter('', address),
    );
    expect(again).toBe(first);
    expect(people.idOfCommitter('Eve', '')).not.toBe(first);
    expect(users).toMatchObject([
      { userId: 'commits-of-admin@example.com', name: 'Unknown author', mailAddress: '', isGone: true },
      { userId: 'commits-of-user-2', name: 'Eve', mailAddress: '', isGone: true },
    ]);
  });
});
