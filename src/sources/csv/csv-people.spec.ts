import { type ArchiveBuilder } from '../archive-builder';
import { type SourceUser } from '../model';
import { CsvPeople, type GivenPerson } from './csv-people';

describe(CsvPeople.name, () => {
  let added: SourceUser[];
  let people: CsvPeople;

  beforeEach(() => {
    added = [];
    let id = 0;
    const builder = { newId: () => ++id, user: (user: SourceUser) => void added.push(user) };
    people = new CsvPeople(builder as unknown as ArchiveBuilder);
  });

  const idsOf = (...given: GivenPerson[]): number[] => given.map((one) => people.idOf(one));

  const usersOf = (...given: GivenPerson[]): string[][] => {
    idsOf(...given);
    people.addAll(0);
    return added.map(({ userId, name, mailAddress }) => [userId, name, mailAddress]);
  };

  it('recognizes a person by the login name, the name and the mail address', () => {
    people.learn({ login: 'anna', name: 'Anna Example', mail: 'Anna@example.com' });
    const ids = idsOf(
      { any: 'Anna Example' },
      { any: 'anna' },
      { any: 'anna@EXAMPLE.com' },
      { login: 'anna' },
    );
    expect(new Set(ids).size).toBe(1);
  });

  it('combines a login name and a name that a later row says together', () => {
    people.learn({ any: 'Anna Example' });
    people.learn({ login: 'u1' });
    people.learn({ any: 'Anna Example', login: 'u1' });
    const [one, other] = idsOf({ any: 'u1' }, { name: 'Anna Example' });
    expect(one).toBe(other);
  });

  it('keeps people apart who have the same name and other login names or addresses', () => {
    people.learn({ login: 'u1', name: 'Anna' });
    people.learn({ login: 'u2', name: 'Anna' });
    people.learn({ name: 'Bob', mail: 'b@example.com' });
    people.learn({ name: 'Bob', mail: 'c@example.com' });
    expect(
      idsOf(
        { login: 'u1' },
        { login: 'u2' },
        { name: 'Anna' },
        { any: 'b@example.com' },
        { any: 'c@example.com' },
      ),
    ).toEqual([1, 2, 1, 3, 4]);
  });

  it('keeps two people who have turned out to be one only after both had ids', () => {
    expect(idsOf({ any: 'Anna' }, { login: 'u1' }, { login: 'u1', name: 'Anna' })).toEqual([1, 2, 2]);
  });

  it('gives everybody a valid login name of their own', () => {
    expect(
      usersOf(
        { any: 'bob' },
        { any: 'Żółć Exämple' },
        { any: '田中 太郎' },
        { any: '鈴木' },
        { any: 'eve@example.com' },
        { login: '5570:ab', name: 'Carl C' },
        { login: '5570:cd' },
        { any: 'unknown-user' },
        { any: '__proto__' },
        { any: 'x'.repeat(1000) },
      ),
    ).toEqual([
      ['bob', 'bob', ''],
      ['Zo-c-Example', 'Żółć Exämple', ''],
      ['user', '田中 太郎', ''],
      ['user-2', '鈴木', ''],
      ['eve@example.com', 'eve@example.com', 'eve@example.com'],
      ['Carl-C', 'Carl C', ''],
      ['5570-cd', '5570:cd', ''],
      ['unknown-user-2', 'unknown-user', ''],
      ['proto__', '__proto__', ''],
      ['x'.repeat(255), 'x'.repeat(255), ''],
    ]);
  });

  it('gives ids only to those who are used', () => {
    people.learn({ any: 'only learned' });
    expect([usersOf({ any: 'used' }), people.count]).toEqual([[['used', 'used', '']], 1]);
  });
});
