import { isTimeZone, nextHour } from './digest-time';

const at = (text: string): number => Date.parse(text);

describe('the time of a digest', () => {
  it.each([
    ['UTC', 8, '2026-11-26T07:59:59.999Z', '2026-11-26T08:00:00Z'],
    ['UTC', 8, '2026-11-26T08:00:00Z', '2026-11-27T08:00:00Z'],
    ['Moon/Tycho', 8, '2026-11-26T08:00:00Z', '2026-11-27T08:00:00Z'],
    ['UTC', 0, '2026-12-31T12:00:00Z', '2027-01-01T00:00:00Z'],
    ['Asia/Tokyo', 8, '2026-11-26T12:00:00Z', '2026-11-26T23:00:00Z'],
    ['Asia/Kathmandu', 8, '2026-11-26T00:00:00Z', '2026-11-26T02:15:00Z'],
    // The clocks go from 2 to 3 o'clock, and back.
    ['Europe/Berlin', 8, '2026-03-28T12:00:00Z', '2026-03-29T06:00:00Z'],
    ['Europe/Berlin', 8, '2026-10-24T12:00:00Z', '2026-10-25T07:00:00Z'],
    ['Europe/Berlin', 2, '2026-03-28T12:00:00Z', '2026-03-30T00:00:00Z'],
  ])('is in %s at %i the next such hour after %s', (timeZone, hour, after, next) => {
    expect(new Date(nextHour(hour, timeZone, at(after))).toISOString()).toBe(new Date(next).toISOString());
  });

  it('accepts the names of time zones', () => {
    expect(['UTC', 'Asia/Tokyo', 'America/Sao_Paulo'].every(isTimeZone)).toBe(true);
    expect(['', 'Tokyo', 'Mars/Olympus', 'x'.repeat(60)].some(isTimeZone)).toBe(false);
  });
});
