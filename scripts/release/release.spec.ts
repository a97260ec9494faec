import { type BillOfMaterials, describePackage, licenceLines } from './bill-of-materials';
import { releaseChangelog, replaceVersion } from './changelog';

describe(releaseChangelog, () => {
  const changelog = (unreleased: string): string =>
    `# Changelog\n\n## [Unreleased]\n${unreleased}\n## [1.0.0] - 2026-01-02\n\n### Added\n\n- Issues.\n`;

  it('moves the unreleased entries into a section of the new version', () => {
    expect(releaseChangelog(changelog('\n### Added\n\n- Stars.\n'), '1.1.0', '2026-11-22')).toBe(
      '# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-11-22\n\n### Added\n\n- Stars.\n\n' +
        '## [1.0.0] - 2026-01-02\n\n### Added\n\n- Issues.\n',
    );
  });

  it('accepts a changelog without an earlier release', () => {
    expect(releaseChangelog('## [Unreleased]\n\n- Issues.\n', '1.0.0', '2026-11-22')).toBe(
      '## [Unreleased]\n\n## [1.0.0] - 2026-11-22\n\n- Issues.\n',
    );
  });

  it.each([
    ['nothing is unreleased', changelog(''), 'nothing unreleased'],
    ['the Unreleased section is missing', '# Changelog\n', 'no section'],
    ['the version exists already', `${changelog('- Stars.\n')}## [1.1.0] - 2026-01-01\n`, 'already'],
  ])('refuses a changelog in which %s', (_case, text, problem) => {
    expect(() => releaseChangelog(text, '1.1.0', '2026-11-22')).toThrow(problem);
  });
});

describe(replaceVersion, () => {
  it('replaces the version in package names and commands only', () => {
    const text = (version: string): string =>
      `V=${version}\nnpx ./project-management-service-${version}.tgz # listens on 10.1.0.0\n# V=0.1.0\n`;
    expect(replaceVersion(text('0.1.0'), '0.1.0', '1.0.0')).toBe(text('1.0.0'));
  });
});

describe('a bill of materials', () => {
  const bill = (serial: string, timestamp: string): BillOfMaterials => ({
    serialNumber: serial,
    metadata: { timestamp, component: { name: 'service', version: '1.0.0' } },
    components: [
      { name: 'rxjs', version: '7.8.2', licenses: [{ license: { id: 'Apache-2.0' } }] },
      { name: '@a/b', version: '1.0.0', licenses: [{ expression: 'MIT OR ISC' }] },
    ],
  });
  const details = { digest: 'ab'.repeat(32), date: '2026-11-22' };

  it('stays the same for the same package and contains its digest', () => {
    const [first, second] = [
      bill('urn:uuid:1', '2026-11-22T10:00:00Z'),
      bill('urn:uuid:2', '2026-11-23'),
    ].map((each) => describePackage(each, details));
    expect(first).toEqual(second);
    expect(first?.serialNumber).toMatch(
      /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    expect(first?.metadata.component.hashes).toEqual([{ alg: 'SHA-256', content: details.digest }]);
    const other = describePackage(bill('', ''), { ...details, digest: 'cd'.repeat(32) });
    expect(other.serialNumber).not.toBe(first?.serialNumber);
  });

  it('lists the licence of each component and refuses one without a licence', () => {
    const complete = bill('', '');
    expect(licenceLines(complete)).toEqual(['@a/b 1.0.0: MIT OR ISC', 'rxjs 7.8.2: Apache-2.0']);
    const silent = { ...complete, components: [{ name: 'x', version: '2.0.0' }, ...complete.components] };
    expect(() => licenceLines(silent)).toThrow('x 2.0.0');
  });
});
