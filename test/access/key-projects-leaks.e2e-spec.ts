import { addKey } from '../support/keys';
import { INSIDE, type MarkedValues, OUTSIDE, useMarkedProjects, withKey } from '../support/marked-project';
import { readEverything } from '../support/read-everything';
import { everythingStored } from '../support/records';
import { useWorld } from '../support/world';

describe('a key limited to a project', () => {
  const tested = useWorld();
  const marked = useMarkedProjects(tested);
  let values: MarkedValues;

  beforeAll(() => {
    const { owner, inside, outside } = marked;
    values = new Map(
      [...inside.values].map(([name, found]) => [name, [...found, ...outside.values.get(name)!]]),
    );
    values.get('userId')!.push(owner.id);
  });

  /** Returns the paths of the answers that contain a marker. */
  async function pathsWith(key: string, marker: string): Promise<string[]> {
    const { answers } = await readEverything(withKey(tested.world, key), values);
    const encoded = Buffer.from(marker).toString('base64').slice(0, -4);
    return [...answers].flatMap(([path, answer]) =>
      [marker, encoded].some((text) => answer.includes(text)) ? [path] : [],
    );
  }

  it('returns nothing of another project in any read, and everything of its own', async () => {
    const { world } = tested;
    const limited = await addKey(world, marked.owner, { scopes: ['read'], projectIds: [marked.inside.id] });
    const elsewhere = await pathsWith(marked.owner.key, OUTSIDE);
    // The word is in enough answers for the test to mean something.
    expect(elsewhere.length).toBeGreaterThan(60);
    const own = await pathsWith(marked.owner.key, INSIDE);
    const before = await everythingStored(world);
    const shown = await pathsWith(limited, INSIDE);
    expect(own.filter((path) => !shown.includes(path))).toEqual(['/teams?count=100', '/users']);
    expect(await pathsWith(limited, OUTSIDE)).toEqual([]);
    expect(await everythingStored(world)).toEqual(before);
  });
});
