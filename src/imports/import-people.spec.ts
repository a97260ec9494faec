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
});
