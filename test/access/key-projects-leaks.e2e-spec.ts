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

  /** Reads everything with a key, and returns the paths of the answers that contain each marker. */
  async function pathsWith(key: string): Promise<{ inside: string[]; outside: string[] }> {
    const { answers } = await readEverything(withKey(tested.world, key), values);
    const containing = (marker: string): string[] => {
      const encoded = Buffer.from(marker).toString('base64').slice(0, -4);
      return [...answers].flatMap(([path, answer]) =>
        [marker, encoded].some((text) => answer.includes(text)) ? [path] : [],
      );
    };
    return { inside: containing(INSIDE), outside: containing(OUTSIDE) };
  }

  it('returns nothing of another project in any read, and everything of its own', async () => {
    const { world } = tested;
    const limited = await addKey(world, marked.owner, { scopes: ['read'], projectIds: [marked.inside.id] });
    const own = await pathsWith(marked.owner.key);
    // The word is in enough answers for the test to mean something.
    expect(own.outside.length).toBeGreaterThan(60);
    const before = await everythingStored(world);
    const shown = await pathsWith(limited);
    expect(own.inside.filter((path) => !shown.inside.includes(path))).toEqual(['/teams?count=100', '/users']);
    expect(shown.outside).toEqual([]);
    expect(await everythingStored(world)).toEqual(before);
  });
});
