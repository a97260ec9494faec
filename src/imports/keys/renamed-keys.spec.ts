import { loopTurns } from '../../event-loop/loop-turns';
import { RenamedKeys } from './renamed-keys';

const keys = RenamedKeys.of([
  { key: 'OLD', as: 'NEW' },
  { key: 'A', as: 'B' },
  { key: 'B', as: 'A' },
  { key: 'SAME', as: 'SAME' },
])!;

describe('RenamedKeys', () => {
  it('is nothing when all projects keep their keys', () => {
    expect(RenamedKeys.of([{ key: 'SAME', as: 'SAME' }])).toBeUndefined();
    expect(RenamedKeys.of([{ key: '(a+)+', as: 'NEW' }])).toBeUndefined();
  });

  it('replaces whole words only', async () => {
    expect(await keys.inText('OLD-12, (OLD-3) [OLD-4]: OLD-5. OLD-6/OLD-7 "OLD-8" OLD-9を参照')).toBe(
      'NEW-12, (NEW-3) [NEW-4]: NEW-5. NEW-6/NEW-7 "NEW-8" NEW-9を参照',
    );
    const others = 'XOLD-12 OLD_-1 MY-OLD-12 OLD-12a OLD-12_ OLD-12-fix OLD-0 old-12 OLD- OLD SAME-1 _OLD-1';
    expect(await keys.inText(others)).toBe(others);
  });

  it('replaces keys that are exchanged', async () => {
    expect(await keys.inText('A-1 B-2')).toBe('B-1 A-2');
  });

  it('replaces keys in addresses of issues, but not in others', async () => {
    expect(await keys.inText('[OLD-1](/view/OLD-1#comment-2)')).toBe('[NEW-1](/view/NEW-1#comment-2)');
    expect(await keys.inText('https://old.example.com/view/OLD-1?x=1 and http://x/view/OLD-12.')).toBe(
      'https://old.example.com/view/NEW-1?x=1 and http://x/view/NEW-12.',
    );
    const others = 'https://example.com/OLD-1 https://example.com/view/OLD-1a';
    expect(await keys.inText(others)).toBe(others);
  });

  it('leaves code as it is, except in a text without formatting', async () => {
    expect(await keys.inText('OLD-1 `OLD-2`\n\n```\nOLD-3\n```\n{code}OLD-4{/code} OLD-5')).toBe(
      'NEW-1 `OLD-2`\n\n```\nOLD-3\n```\n{code}OLD-4{/code} NEW-5',
    );
    expect(await keys.inPlain('OLD-1 `OLD-2`')).toBe('NEW-1 `NEW-2`');
  });

  it('changes long texts as it changes their parts', async () => {
    const part = 'OLD-1 `OLD-2` https://x/view/OLD-3\nOLD-4, (OLD-5)\n\n    OLD-6\n\n```\nOLD-7\n\n```\n';
    for (let length = 0; length < 3; length++) {
      const before = 'a '.repeat(16_000 + length);
      const renamed = await keys.inText(before + part.repeat(2000));
      expect(renamed === before + (await keys.inText(part)).repeat(2000)).toBe(true);
    }
    const plain = await keys.inPlain(part.repeat(2000));
    expect(plain === part.replaceAll('OLD', 'NEW').repeat(2000)).toBe(true);
    expect((await keys.inText('OLD-1 '.repeat(50_000))) === 'NEW-1 '.repeat(50_000)).toBe(true);
  });

  it('lets other work have its turn in the middle of a long text', async () => {
    const pause = vi.spyOn(loopTurns, 'pauseInBackground');
    for (const part of ['OLD-1 ', 'OLD-1/', 'a\n', '`a` ', '{code}{/code}', 'https://x/view/OLD-1 ']) {
      pause.mockClear();
      await keys.inText(`${part.repeat(1_000_000 / part.length)}OLD-1`);
      expect([part, pause.mock.calls.length]).toEqual([
        part,
        expect.toSatisfy((calls: number) => calls >= 25),
      ]);
    }
  });

  it('replaces a value only as a whole', () => {
    expect(['OLD-1', 'OLD-1 x', ''].map((value) => keys.ofValue(value))).toEqual(['NEW-1', 'OLD-1 x', '']);
  });
});
