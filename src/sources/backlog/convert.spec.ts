import * as z from 'zod';
import { BacklogApi } from './backlog-api';
import { toApiBase } from './address';
import { toDay, toTimeZone } from './convert';
import * as wire from './wire';

describe(toDay.name, () => {
  it.each([
    ['2024-02-03T00:00:00Z', 'UTC', '2024-02-03'],
    ['2024-02-03T00:00:00Z', 'Asia/Tokyo', '2024-02-03'],
    ['2024-02-02T15:00:00Z', 'Asia/Tokyo', '2024-02-03'],
    ['2024-02-03T05:00:00Z', 'America/New_York', '2024-02-03'],
    ['2024-02-03', 'UTC', '2024-02-03'],
    ['', 'UTC', null],
    ['soon', 'UTC', null],
    [null, 'UTC', null],
  ])('returns the day of %s in %s', (value, timeZone, day) => {
    expect(toDay(value, timeZone)).toBe(day);
  });
});

describe(toTimeZone.name, () => {
  it('returns UTC for a time zone that this machine does not know', () => {
    expect([toTimeZone('Asia/Tokyo'), toTimeZone('Nowhere/Land'), toTimeZone(null)]).toEqual([
      'Asia/Tokyo',
      'UTC',
      'UTC',
    ]);
  });
});

describe(toApiBase.name, () => {
  it.each([
    ['backlog://example.backlog.com', 'https://example.backlog.com/api/v2'],
    ['backlog://pm.example.com:8443/tracker/api/v2/', 'https://pm.example.com:8443/tracker/api/v2'],
    ['backlog+http://127.0.0.1:3000', 'http://127.0.0.1:3000/api/v2'],
    ['backlog+http://localhost:3000', 'http://localhost:3000/api/v2'],
  ])('returns the API of %s', (address, base) => {
    expect(toApiBase(address).href).toBe(base);
  });

  it.each([
    'backlog+http://example.com',
    'backlog://',
    'backlog://user:key@host',
    'backlog://host?apiKey=1',
    'http://host',
  ])('refuses %s', (address) => {
    expect(() => toApiBase(address)).toThrow(/backlog/);
  });
});

describe(BacklogApi.name, () => {
  it('refuses a tree that is nested too deeply', async () => {
    const id = '0'.repeat(32);
    const depth = 100_000;
    const tree = `{"id":"${id}","children":[`.repeat(depth) + ']}'.repeat(depth);
    const body = `{"activeTree":{"children":[${tree}]}}`;
    const http = { answer: () => Promise.resolve({ status: 200, body }) };
    const spool = { forget: () => Promise.resolve() };
    const api = new BacklogApi(http as never, spool as never);
    await expect(api.get(wire.documentTree, '/documents/tree')).rejects.toThrow(/is nested too deeply/);
    await expect(api.get(z.object({}), '/documents/tree')).resolves.toEqual({});
  });
});
