import { isSignInName } from '../../users/dto/user-fields';
import { nameCandidates } from './name-candidates';

describe(nameCandidates.name, () => {
  it.each([
    ['robin', 'kim@example.com', 'robin'],
    ['robin@corp.example', 'kim@example.com', 'robin'],
    [undefined, 'kim@example.com', 'kim'],
    ['ロビン', 'kim@example.com', 'kim'],
    ['-_ robin smith', 'kim@example.com', 'robinsmith'],
    [undefined, '_@example.com', 'user'],
  ])('makes of %s and %s first %s', (userName, mailAddress, first) => {
    expect(nameCandidates(userName, mailAddress).next().value).toBe(first);
  });

  it('makes only valid names, all different, of any text', () => {
    for (const text of ['a'.repeat(1000), '!'.repeat(1000), '\ud800', '../../etc', '<b>']) {
      const names = [...nameCandidates(text, `${text}@example.com`)];
      expect(names.filter((name) => !isSignInName(name))).toEqual([]);
      expect(new Set(names).size).toBe(10);
    }
  });
});
