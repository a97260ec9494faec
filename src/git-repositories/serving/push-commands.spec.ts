import * as fc from 'fast-check';
import { NO_HASH } from '../refs/ref-names';
import { FLUSH, pktLine } from './pkt-line';
import { MAX_COMMANDS, type PushCommands, readPushCommands, withoutRefsOfHosts } from './push-commands';

const HASH = 'a'.repeat(40);
const CAPABILITIES = 'report-status-v2 side-band-64k agent=test';
const PACK = Buffer.from('PACK, and more');

/** Returns a push that creates refs. */
const pushOf = (refs: readonly string[], capabilities = CAPABILITIES, lineEnd = ''): Buffer =>
  Buffer.concat([
    ...refs.map((ref, index) =>
      pktLine(`${NO_HASH} ${HASH} ${ref}`, index === 0 ? `\0${capabilities}` : '', lineEnd),
    ),
    FLUSH,
    PACK,
  ]);

// eslint-disable-next-line @typescript-eslint/require-await -- like the body of a request
async function* parts(bytes: Buffer, size = bytes.length): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

const read = (bytes: Buffer, size?: number): Promise<PushCommands> => readPushCommands(parts(bytes, size));

const refNames = ({ updates }: PushCommands): string[] => updates.map(({ ref }) => ref);

describe(withoutRefsOfHosts.name, () => {
  it('leaves out the refs of hosts, and keeps everything else', async () => {
    const ours = fc.constantFrom('refs/heads/main', 'refs/heads/é', 'refs/tags/v1', 'refs/notes/x');
    const theirs = fc.constantFrom('refs/pull/7/head', 'refs/merge-requests/1/head', 'refs/changes/01/1/1');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(ours, theirs), { minLength: 1, maxLength: 20 }),
        fc.constantFrom('', '\n'),
        fc.integer({ min: 1, max: 300 }),
        async (refs, lineEnd, size) => {
          const before = await read(pushOf(refs, CAPABILITIES, lineEnd), size);
          const whole = { ...before, bytes: pushOf(refs, CAPABILITIES, lineEnd) };
          const { push, skipped } = withoutRefsOfHosts(whole);
          const isTheirs = (ref: string): boolean => /^refs\/(pull|merge-requests|changes)\//.test(ref);
          const left = refs.filter((ref) => !isTheirs(ref));
          expect(skipped).toEqual(refs.filter(isTheirs));
          expect(refNames(push)).toEqual(left);
          const after = await read(push.bytes);
          expect(refNames(after)).toEqual(left);
          expect(after.capabilities).toEqual(left.length === 0 ? [] : CAPABILITIES.split(' '));
          expect(push.bytes.subarray(-PACK.length - 4)).toEqual(Buffer.concat([FLUSH, PACK]));
        },
      ),
    );
  });

  it('keeps the lines about shallow clones', async () => {
    const shallow = pktLine(`shallow ${HASH}\n`);
    const bytes = Buffer.concat([shallow, pushOf(['refs/pull/1/head', 'refs/heads/main'])]);
    const { push } = withoutRefsOfHosts(await read(bytes));
    expect(push.bytes.subarray(0, shallow.length)).toEqual(shallow);
    expect(push.bytes.subarray(shallow.length)).toEqual(pushOf(['refs/heads/main']));
  });

  it.each([
    ['the push has to succeed as a whole', ['refs/heads/main', 'refs/pull/1/head'], `${CAPABILITIES} atomic`],
    ['the client reads no messages', ['refs/heads/main', 'refs/pull/1/head'], 'report-status'],
  ])('leaves a push as it is where %s', async (_what, refs, capabilities) => {
    const before = await read(pushOf(refs, capabilities));
    expect(withoutRefsOfHosts(before)).toEqual({ push: before, skipped: [] });
  });
});

describe(readPushCommands.name, () => {
  it('counts branches and tags, and not the refs of hosts', async () => {
    const refs = (start: string, count: number): string[] =>
      Array.from({ length: count }, (_, index) => `${start}${index}`);
    const many = await read(pushOf([...refs('refs/heads/', MAX_COMMANDS), ...refs('refs/pull/', 10)]));
    expect(many).toMatchObject({ isTooLong: false });
    expect(await read(pushOf(refs('refs/heads/', MAX_COMMANDS + 1)))).toMatchObject({ isTooLong: true });
  });

  it('never takes more than 4 MiB before the pack', async () => {
    const refs = Array.from({ length: 20_000 }, (_, index) => `refs/pull/${'x'.repeat(150)}${index}`);
    expect(await read(pushOf(refs), 65_536)).toMatchObject({ isTooLong: true });
  });
});
