import { readdirSync, readFileSync } from 'node:fs';
import { entities } from './app.entities';
import { MANIFESTS } from './manifests';

describe('MANIFESTS', () => {
  const namesOf = (part: object | undefined): string[] => Object.keys(part ?? {});

  it.each([
    'counters',
    'countLimits',
    'diskUsage',
    'activities',
    'developerActivities',
    'tags',
    'pathParameters',
    'archived',
  ] as const)('declares no name twice in %s', (part) => {
    const names = MANIFESTS.flatMap((manifest) => namesOf(manifest[part]));
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
  });

  it('contains every entity once, with the list of the other modules', () => {
    const declared = readdirSync(__dirname, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.entity.ts'))
      .map((path) => readFileSync(`${__dirname}/${path}`, 'utf8'))
      .flatMap((text) => /^@Entity\([^]*?^export class (\w+)/m.exec(text)?.[1] ?? []);
    expect(declared.length).toBeGreaterThan(60);
    expect(entities.map(({ name }) => name)).toEqual(declared.toSorted());
  });
});
