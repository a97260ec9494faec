import { compileCommentPattern } from './comment-pattern';

describe(compileCommentPattern.name, () => {
  it.each([
    ['{time};{author};{text}', '24/Nov/26 3:07 PM;anna;a;b;c', ['24/Nov/26 3:07 PM', 'anna', 'a;b;c']],
    ['{time};{author};{text}', '24/Nov/26;;text\nof two lines', ['24/Nov/26', '', 'text\nof two lines']],
    ['[{time}] {author}: {text}', '[today] Anna Example: Done: yes', ['today', 'Anna Example', 'Done: yes']],
    ['{text} ({author})', 'Well (done) (bob)', ['', 'done) (bob', 'Well']],
    ['{text}', ' a ', ['', '', 'a']],
  ])('splits %s', (pattern, value, [time, author, text]) => {
    expect(compileCommentPattern(pattern)(value)).toEqual({ time, author, text });
  });

  it.each([
    ['{time};{author};{text}', 'no mark'],
    ['{time};{author};{text}', 'one;mark'],
    ['[{time}] {text}', 'today] text'],
    ['<{text}>', '<'],
  ])('leaves what does not follow %s: %s', (pattern, value) => {
    expect(compileCommentPattern(pattern)(value)).toBeUndefined();
  });

  it.each([
    ['{time}', 'it needs {text}'],
    ['{text};{text}', 'it has a part twice'],
    ['{time}{text}', 'it needs a text between two parts'],
  ])('refuses %s', (pattern, message) => {
    expect(() => compileCommentPattern(pattern)).toThrow(message);
  });
});
