import { type EntityManager } from 'typeorm';
import { type ImportedUser, type UsersService } from '../users/users.service';
import { LARGEST_KEPT_ID } from './import-ids';
import { addPerson, type Person } from './import-people';

const MANAGER = {} as EntityManager;

/** Users who are kept in memory. */
class FakeUsers {
  readonly added: (ImportedUser & { id?: number })[] = [];
  asked = 0;

  isTaken(name: string): Promise<boolean> {
    this.asked++;
    return Promise.resolve(this.added.some(({ userId }) => userId === name));
  }

  addImported(_manager: EntityManager, user: ImportedUser & { id?: number }): Promise<number> {
    this.added.push(user);
    return Promise.resolve(user.id ?? this.added.length);
  }
}

describe('addPerson', () => {
  let users: FakeUsers;

  beforeEach(() => {
    users = new FakeUsers();
  });

  const add = (id: number, userId: string): Promise<number> =>
    addPerson(MANAGER, users as unknown as UsersService, { id, userId } as Person, {
      keepsAccounts: false,
      lastId: 1,
    });

  it('keeps an id unless it is one of the users or too large', async () => {
    for (const id of [1, 2, LARGEST_KEPT_ID, LARGEST_KEPT_ID + 1]) await add(id, `user${id}`);
    expect(users.added.map(({ id }) => id)).toEqual([undefined, 2, LARGEST_KEPT_ID, undefined]);
  });

  it('finds a name for each of many people with the same name in a few steps', async () => {
    for (let id = 2; id < 302; id++) await add(id, 'a');
    const names = users.added.map(({ userId }) => userId);
    expect(names.slice(0, 3)).toEqual(['a', 'a-2', 'a-3']);
    expect(new Set(names).size).toBe(300);
    expect(users.asked).toBeLessThan(300 * 25);
  });
});
