import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type RowCall, type Shape } from '../test/support/row-types/shapes';

const SCRIPT = join(__dirname, 'row-calls.mjs');

const number = { kinds: ['number'] };
const string = { kinds: ['string'] };
const rows = (properties: Record<string, Shape>): Shape => ({
  kinds: [],
  items: { kinds: [], objects: [properties] },
});

const FILES: Record<string, string> = {
  'src/database/sql/forwarders.ts': `
    export function forward<Row>(runner: Runner, sql: string): Promise<Row[]> {
      return runner.query<Row[]>(sql);
    }
    export const first = async <Row>(runner: Runner): Promise<Row | undefined> => (await forward<Row>(runner, ''))[0];`,
  'src/users/user.entity.ts': 'export class User { id: number; name: string | null; user?: User; }',
  'src/users/data/user.repository.ts': `
    import { first, forward } from '../../database/sql/forwarders';
    import { type User } from '../user.entity';
    type Sum = { [Name in 'files' | 'bytes']: number | string };
    export class UserRepository {
      async all() { return this.runner.query<(Pick<User, 'id' | 'name'> & { isOn: boolean | 0 | 1 })[]>(sql); }
      async sum() { const [row] = await this.runner.query<[Sum]>(sql); return row; }
      found(): Promise<{ data: unknown; members: Uint8Array }[]> { return this.runner.query(sql); }
      async cast() { return ((await this.runner.query(sql)) as { kind: 'a' | 'b' }[]); }
      async forwarded() { return forward<Pick<User, 'id'>>(this.runner, sql); }
      async one() { return first<{ id: number }>(this.runner); }
      async none() { await this.runner.query(sql); }
    }`,
};

describe('scripts/row-calls.mjs', () => {
  let folder: string;
  let calls: RowCall[];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'row-calls-'));
    for (const [path, text] of Object.entries(FILES)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const { stdout } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: 'utf8' });
    calls = Object.values(JSON.parse(stdout) as Record<string, RowCall[]>).flat();
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const shapeAt = (line: number): Shape | undefined =>
    calls.find(({ place }) => place === `src/users/data/user.repository.ts:${line}`)?.shape;

  it.each<[string, number, Shape]>([
    [
      'the rows of a query',
      6,
      rows({ id: number, name: { kinds: ['null', 'string'] }, isOn: { kinds: ['boolean', 'number'] } }),
    ],
    [
      'the only row of a query',
      7,
      rows({ files: { kinds: ['string', 'number'] }, bytes: { kinds: ['string', 'number'] } }),
    ],
    ['the rows that a function returns', 8, rows({ data: null, members: { kinds: ['Uint8Array'] } })],
    ['the rows of a cast', 9, rows({ kind: string })],
    ['the rows of a call with its own type', 10, rows({ id: number })],
    ['the row of a call through two functions', 11, { kinds: ['undefined'], objects: [{ id: number }] }],
  ])('prints the shape of %s', (_, line, shape) => {
    expect(shapeAt(line)).toEqual(shape);
  });

  it('prints only calls that state a type that is known', () => {
    expect(calls.map(({ place }) => place.split(':')[1])).toEqual(['6', '7', '8', '9', '10', '11']);
  });

  it('prints where each call begins and ends', () => {
    const text = FILES['src/users/data/user.repository.ts'] ?? '';
    const [call] = calls.filter(({ place }) => place.endsWith(':7'));
    expect(text.slice(call?.start, call?.end)).toBe('this.runner.query<[Sum]>(sql)');
  });
});
