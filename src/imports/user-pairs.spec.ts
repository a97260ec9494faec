import { InvalidRequestError } from '../errors/domain-errors';
import { userPairsOf } from './user-pairs';

const messageOf = (text: string): string => {
  try {
    userPairsOf(text, 'people.csv');
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.message;
    throw error;
  }
  return '';
};

describe('userPairsOf', () => {
  it('reads pairs of login names, one a line', () => {
    expect(userPairsOf('mika:m.virtanen\n\n  aino : a.korhonen \r\n', 'users')).toEqual({
      mika: 'm.virtanen',
      aino: 'a.korhonen',
    });
  });

  it('reads lines of a CSV file with mail addresses and ids', () => {
    const text = '\ufeffmika,m.virtanen@example.com\n"Korhonen, Aino",12\n"say ""x""",x\n';
    expect(userPairsOf(text, 'users')).toEqual({
      mika: 'm.virtanen@example.com',
      'Korhonen, Aino': '12',
      'say "x"': 'x',
    });
  });

  it('reads lines of a YAML file with comments', () => {
    const text = '---\n# The people\nmika: m.virtanen@example.com # moved\n  # more\n\'aino\': "a: b"\n';
    expect(userPairsOf(text, 'users')).toEqual({ mika: 'm.virtanen@example.com', aino: 'a: b' });
  });

  it('reads nothing from an empty text', () => {
    expect([userPairsOf('', 'users'), userPairsOf(undefined, 'users')]).toEqual([{}, {}]);
  });

  it('keeps names that objects have by themselves', () => {
    expect(Object.entries(userPairsOf('__proto__,a\nconstructor,b', 'users'))).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
  });

  it('names the line of an error', () => {
    expect(messageOf('# people\na,b\nnobody\n')).toContain(
      'Line 3 of people.csv is not a pair such as OLD,NEW.',
    );
    expect(messageOf('a,b,c')).toContain('Line 1 of people.csv is not a pair');
    expect(messageOf('a,b\n\nc:')).toContain('Line 3 of people.csv is not a pair');
    expect(messageOf('a,b\na: c')).toContain('Line 2 of people.csv has the name "a" again.');
    expect(messageOf('a,b\n"c,d\n')).toMatch(/Line \d of people\.csv lacks a closing quote\./);
    expect(messageOf(`a,${'b'.repeat(3000)}`)).toContain('Line 1 of people.csv is too long.');
  });

  it('refuses more pairs than an import may have', () => {
    const lines = Array.from({ length: 10_001 }, (_, index) => `old${index},new`);
    expect(messageOf(lines.join('\n'))).toContain('There are more than 10000 pairs in people.csv.');
  });
});
