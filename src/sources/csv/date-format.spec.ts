import fc from 'fast-check';
import { runs } from '../../../test/support/thoroughness';
import { CLEAR_FORMATS, compileDateFormat, type WallTime, Zone } from './date-format';

const clear = CLEAR_FORMATS.map((format) => compileDateFormat(format));

function readClear(text: string): WallTime | undefined {
  for (const form of clear) {
    const time = form(text);
    if (time) return time;
  }
  return undefined;
}

const wallOf = (time: WallTime | undefined): string | undefined => time && new Date(time.wall).toISOString();

describe(compileDateFormat.name, () => {
  it.each([
    ['2026-11-24', '2026-11-24T00:00:00.000Z'],
    ['2026-11-24 15:07', '2026-11-24T15:07:00.000Z'],
    ['2026-11-24 15:07:08.9', '2026-11-24T15:07:08.900Z'],
    ['2026-11-24T15:07:08.123456Z', '2026-11-24T15:07:08.123Z'],
    ['2026-11-24T15:07:08+0900', '2026-11-24T15:07:08.000Z'],
    ['2026/1/2 3:04', '2026-01-02T03:04:00.000Z'],
    ['24/Nov/26 3:07 PM', '2026-11-24T15:07:00.000Z'],
    ['24/Nov/26 12:07\u202fAM', '2026-11-24T00:07:00.000Z'],
    ['24/Nov/26 15:07', '2026-11-24T15:07:00.000Z'],
    ['24/Nov/26', '2026-11-24T00:00:00.000Z'],
    ['24/november/2026 12:00 p.m.', '2026-11-24T12:00:00.000Z'],
    ['1 Sept 1999', '1999-09-01T00:00:00.000Z'],
    ['Nov 24, 2026 3:07:08 PM', '2026-11-24T15:07:08.000Z'],
    ['Nov/26/25 12:26 AM', '2025-11-26T00:26:00.000Z'],
    ['Nov/26/25 15:07:08', '2025-11-26T15:07:08.000Z'],
    ['Nov/26/25', '2025-11-26T00:00:00.000Z'],
    ['Nov/26/2025 3:07 PM', '2025-11-26T15:07:00.000Z'],
    ['24.11.2026 15:07', '2026-11-24T15:07:00.000Z'],
    ['29/Feb/24', '2024-02-29T00:00:00.000Z'],
  ])('reads %s without being told its form', (text, expected) => {
    expect(wallOf(readClear(text))).toBe(expected);
  });

  it.each([
    '',
    'soon',
    '3/4/2026',
    '2026-13-01',
    '2026-02-30',
    '29/Feb/26',
    '24/Foo/26',
    '2026-11-24 24:00',
    '2026-11-24 10:60',
    '24/Nov/26 13:07 PM',
    '24/Nov/26 0:07 PM',
    '24/Nov/26 3:07 XM',
    '0999-01-01',
    '99999-01-01',
    '2026-11-24 15:07 or later',
    `2026-11-24${' '.repeat(100)}x`,
  ])('does not read %s', (text) => {
    expect(readClear(text)).toBeUndefined();
  });

  it.each([
    ['d/M/yyyy', 'en', '3/4/2026', '2026-04-03T00:00:00.000Z'],
    ['M/d/yy h:mm a', 'en', '3/4/69 1:02 am', '2069-03-04T01:02:00.000Z'],
    ['d/M/yy', 'en', '3/4/70', '1970-04-03T00:00:00.000Z'],
    ['d.MMM.yy H:mm', 'de', '24.März.26 15:07', '2026-03-24T15:07:00.000Z'],
    ['d.MMM.yy', 'de', '24.Okt..26', '2026-10-24T00:00:00.000Z'],
    ['yyyy年M月d日', 'ja', '2026年11月24日', '2026-11-24T00:00:00.000Z'],
    ['yyyy/MM/dd a h:mm', 'ja', '2026/11/24 午後 3:07', '2026-11-24T15:07:00.000Z'],
    ["yyyyMMdd'T'HHmm", 'en', '20261124T1507', '2026-11-24T15:07:00.000Z'],
    ['d MMMM yyyy', 'fr', '24 février 2026', '2026-02-24T00:00:00.000Z'],
  ])('reads the format %s of the language %s', (format, locale, text, expected) => {
    expect(wallOf(compileDateFormat(format, locale)(text))).toBe(expected);
  });

  it.each([
    ['yyyy-MM', 'it needs a year, a month and a day'],
    ['yyyy-MM-dd QQ', 'QQ is no part of a date'],
    ['yyyy-MM-dd yy-d', 'd says again what another part says'],
    ['yyyy-MM-dd h:mm', 'h needs a, and a needs h'],
    ['yyyy-MM-dd[ HH:mm', 'each [ needs a ]'],
  ])('refuses the format %s', (format, message) => {
    expect(() => compileDateFormat(format)).toThrow(message);
  });

  it('takes signs in a format as they are', () => {
    const form = compileDateFormat('(yyyy.M+d*$^|)');
    expect([wallOf(form('(2026.1+2*$^|)')), form('(2026x1+2*$^|)')]).toEqual([
      '2026-01-02T00:00:00.000Z',
      undefined,
    ]);
  });
});

describe(Zone.name, () => {
  const wall = (text: string, offset?: number): WallTime => ({
    wall: Date.parse(`${text}Z`),
    hasTime: true,
    ...(offset !== undefined && { offset }),
  });

  it.each([
    ['Asia/Tokyo', '2026-11-24T09:00:00', '2026-11-24T00:00:00.000Z'],
    ['Europe/Berlin', '2026-07-01T12:00:00', '2026-07-01T10:00:00.000Z'],
    ['Europe/Berlin', '2026-12-01T12:00:00', '2026-12-01T11:00:00.000Z'],
    ['Europe/Berlin', '2026-03-29T02:30:00', '2026-03-29T01:30:00.000Z'],
    ['America/New_York', '2026-11-01T00:30:00', '2026-11-01T04:30:00.000Z'],
    ['Asia/Kolkata', '2026-01-01T00:00:00', '2025-12-31T18:30:00.000Z'],
    ['UTC', '2026-01-01T00:00:00', '2026-01-01T00:00:00.000Z'],
  ])('converts a time of %s', (zone, text, expected) => {
    expect(new Date(new Zone(zone).toTime(wall(text))).toISOString()).toBe(expected);
  });

  it('gives the time that a text names precedence', () => {
    const time = wall('2026-11-24T23:00:00', -60);
    const zone = new Zone('Asia/Tokyo');
    expect([new Date(zone.toTime(time)).toISOString(), zone.toDay(time)]).toEqual([
      '2026-11-25T00:00:00.000Z',
      '2026-11-25',
    ]);
    expect(zone.toDay(wall('2026-11-24T23:00:00'))).toBe('2026-11-24');
  });

  it('returns the same wall time as Intl shows', () => {
    const zones = ['Asia/Tokyo', 'Europe/Berlin', 'America/St_Johns', 'Pacific/Apia', 'Australia/Lord_Howe'];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 2_000_000_000 }), (name, seconds) => {
        const shown = new Intl.DateTimeFormat('sv-SE', {
          timeZone: name,
          dateStyle: 'short',
          timeStyle: 'medium',
        }).format(seconds * 1000);
        const found = new Zone(name).toTime(wall(shown.replace(' ', 'T')));
        // Where clocks are put back, a wall time stands for two times.
        expect(Math.abs(found - seconds * 1000) % 1_800_000).toBe(0);
        expect(Math.abs(found - seconds * 1000)).toBeLessThanOrEqual(3_600_000);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('refuses a zone that is not known', () => {
    expect(() => new Zone('Nowhere/Land')).toThrow(RangeError);
  });
});
