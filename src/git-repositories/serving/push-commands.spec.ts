import * as fc from 'fast-check';
import { NO_HASH } from '../refs/ref-names';
import { FLUSH, pktLine } from './pkt-line';
import { MAX_COMMANDS, type PushCommands, readPushCommands } from './push-commands';

const HASH = 'a'.repeat(40);
const CAPABILITIES = 'report-status-v2 side-band-64k agent=test';
const PACK = Buffer.from('PACK, and more');
const MIB = 1024 * 1024;

const names = (start: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${start}${index}`);

/** Returns a push that creates refs. */
const pushOf = (refs: readonly string[], capabilities = CAPABILITIES, lineEnd = ''): Buffer =>
  Buffer.concat([
    ...refs.map((ref, index) =>
      pktLine(`${NO_HASH} ${HASH} ${ref}`, index === 0 ? `\0${capabilities}` : '', lineEnd),
    ),
    FLUSH,
    PACK,
  ]);

// oxlint-disable-next-line typescript/require-await -- like the body of a request
async function* parts(bytes: Buffer, size = bytes.length): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const whenLarge = vi.fn(() => Promise.resolve());
const read = (bytes: Buffer, size?: number): Promise<PushCommands> =>
  readPushCommands(parts(bytes, size), whenLarge);

const refNames = ({ updates }: PushCommands): string[] => updates.map(({ ref }) => ref);

describe(readPushCommands.name, () => {
  it('skips the refs of other hosts and keeps everything else', async () => {
    const ours = fc.constantFrom('refs/heads/main', 'refs/heads/é', 'refs/tags/v1', 'refs/notes/x');
    const theirs = fc.constantFrom('refs/pull/7/head', 'refs/merge-requests/1/head', 'refs/changes/01/1/1');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(ours, theirs), { minLength: 1, maxLength: 20 }),
        fc.constantFrom('', '\n'),
        fc.integer({ min: 1, max: 300 }),
        async (refs, lineEnd, size) => {
          const body = parts(pushOf(refs, CAPABILITIES, lineEnd), size);
          const push = await readPushCommands(body, whenLarge);
          const isTheirs = (ref: string): boolean => /^refs\/(pull|merge-requests|changes)\//.test(ref);
          const left = refs.filter((ref) => !isTheirs(ref));
          const skipped = refs.filter(isTheirs);
          const report = Buffer.concat(skipped.map((ref) => pktLine(`ok ${ref}\n`)));
          expect(push.skipped).toEqual({ count: skipped.length, first: skipped[0] ?? '', report });
          expect(refNames(push)).toEqual(left);
          const bytes = [push.bytes];
          for await (const part of body) bytes.push(part);
          const whole = Buffer.concat(bytes);
          const after = await read(whole);
          expect(refNames(after)).toEqual(left);
          expect(after.capabilities).toEqual(left.length === 0 ? [] : CAPABILITIES.split(' '));
          expect(whole.subarray(-PACK.length - 4)).toEqual(Buffer.concat([FLUSH, PACK]));
        },
      ),
    );
  });

  it('keeps the lines about shallow clones', async () => {
    const shallow = pktLine(`shallow ${HASH}\n`);
    const bytes = Buffer.concat([shallow, pushOf(['refs/pull/1/head', 'refs/heads/main'])]);
    expect((await read(bytes)).bytes).toEqual(Buffer.concat([shallow, pushOf(['refs/heads/main'])]));
  });

  it.each([
    ['the push is atomic', ['refs/heads/main', 'refs/pull/1/head'], `${CAPABILITIES} atomic`],
    ['the client does not support messages', ['refs/heads/main', 'refs/pull/1/head'], 'report-status'],
  ])('keeps the refs of other hosts when %s', async (_what, refs, capabilities) => {
    const push = await read(pushOf(refs, capabilities));
    expect([push.bytes, push.skipped.count]).toEqual([pushOf(refs, capabilities), 0]);
    expect(refNames(push)).toEqual(refs);
  });

  it('limits a push to 20,000 branches and tags, not counting skipped refs', async () => {
    const many = await read(pushOf([...names('refs/heads/', MAX_COMMANDS), ...names('refs/pull/', 10)]));
    expect(many.excess).toBeUndefined();
    expect((await read(pushOf(names('refs/heads/', MAX_COMMANDS + 1)))).excess).toMatch(/at most 20000/);
  });

  it.each([
    ['branches', 'refs/heads/', CAPABILITIES],
    ['refs of other hosts in an atomic push', 'refs/pull/', `${CAPABILITIES} atomic`],
  ])('limits the list of %s to 4 MiB', async (_what, start, capabilities) => {
    const refs = names(`${start}${'x'.repeat(150)}`, MAX_COMMANDS);
    const push = await read(pushOf(refs, capabilities), 65_536);
    expect(push.excess).toMatch(/listed in at most 4 MiB/);
    expect(push.bytes.length).toBeLessThan(4.1 * MIB);
  });

  it.each(['refs/heads/', 'refs/pull/'])(
    'waits once before it holds more than 256 KiB of %s',
    async (start) => {
      whenLarge.mockClear();
      await read(pushOf(names(start, 1500)), 65_536);
      expect(whenLarge).not.toHaveBeenCalled();
      const large = pushOf(names(start, 16_000));
      const body = parts(large, 65_536);
      let count = 0;
      const counted = { next: () => (count++, body.next()) };
      const waiting = new Error('Not yet.');
      await expect(readPushCommands(counted, () => Promise.reject(waiting))).rejects.toBe(waiting);
      expect(count).toBeLessThan(start === 'refs/heads/' ? 6 : 26);
      await read(large, 65_536);
      expect(whenLarge).toHaveBeenCalledOnce();
    },
  );

  it('exempts skipped refs from the limits, up to a report of 8 MiB', async () => {
    const mirror = ['refs/heads/main', ...names('refs/pull/', 100_000), 'refs/tags/v1'];
    const bytes = pushOf(mirror);
    expect(bytes.length).toBeGreaterThan(2 * 4 * MIB);
    const push = await read(bytes, 65_536);
    expect(push).toMatchObject({ excess: undefined, skipped: { count: 100_000, first: 'refs/pull/0' } });
    expect(push.bytes).toEqual(pushOf(['refs/heads/main', 'refs/tags/v1']).subarray(0, push.bytes.length));
    const long = await read(pushOf(names(`refs/pull/${'x'.repeat(200)}`, 50_000)), 65_536);
    expect(long.excess).toMatch(/at most 8 MiB of refs of other hosts/);
    expect(long.skipped.report.length).toBeLessThan(8.1 * MIB);
  });
});
