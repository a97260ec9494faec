import { mentionFinder } from './issue-mentions';

const find = (message: string): string[] =>
  mentionFinder('WEB_2')(message).map(({ keyId, statusId }) =>
    statusId === undefined ? `${keyId}` : `${keyId}:${statusId}`,
  );

describe('mentionFinder', () => {
  it.each([
    ['nothing', []],
    ['WEB_2-1', ['1']],
    ['Work on WEB_2-1, WEB_2-2 and (WEB_2-3).', ['1', '2', '3']],
    ['WEB_2-1 WEB_2-1', ['1']],
    ['XWEB_2-1 _WEB_2-1 web_2-1 WEB-1 WEB_2-0 WEB_2-1x WEB_2-1_ WEB_2-12345678901', []],
    ['feature/WEB_2-7-login', ['7']],
    ['#fix WEB_2-1 #fixes WEB_2-2 #fixed WEB_2-3', ['1:3', '2:3', '3:3']],
    ['#close WEB_2-1 #closes: WEB_2-2\n#closed\nWEB_2-3', ['1:4', '2:4', '3:4']],
    ['#Fixes WEB_2-1', ['1:3']],
    ['#fix WEB_2-1 #close WEB_2-1 #fix WEB_2-1', ['1:4']],
    ['WEB_2-1 again, #fix WEB_2-1', ['1:3']],
    ['fix WEB_2-1 a#fix WEB_2-2 #fixing WEB_2-3 #fixWEB_2-4', ['1', '2', '3']],
    ['#fix WEB_2-1, WEB_2-2', ['1:3', '2']],
    [
      Array.from({ length: 30 }, (_, index) => `WEB_2-${index + 1}`).join(),
      Array.from({ length: 20 }, (_, index) => `${index + 1}`),
    ],
  ])('finds the issues named in %p', (message, expected) => {
    expect(find(message)).toEqual(expected);
  });

  it('takes less than a second for long messages', () => {
    const started = performance.now();
    for (const part of ['#fix ', '#fix', ' ', 'WEB_2-', 'WEB_2-1', '#', 'a']) find(part.repeat(16_384));
    find(`#fix${' '.repeat(16_384)}`);
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
