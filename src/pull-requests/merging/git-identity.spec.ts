import { onOneLine, toGitIdentity } from './git-identity';

describe(toGitIdentity.name, () => {
  it.each([
    ['Dana Developer', 'dana@example.com', 'Dana Developer', 'dana@example.com'],
    [' "Dana", <d@x> \n', 'Dana <dana@example.com>', 'Dana", d@x', 'Danadana@example.com'],
    ['Élodie 李', 'é@example.com', 'Élodie 李', 'é@example.com'],
    ['a\u0000b\nc', 'a\u0000@b\n', 'a b c', 'a @b'],
    ['<.,;:>', '', 'User 7', 'user-7@users.invalid'],
    ['Dana', 'nothing', 'Dana', 'user-7@users.invalid'],
    ['Dana', null, 'Dana', 'user-7@users.invalid'],
    ['x\ud800', 'a@b', 'x\ufffd', 'a@b'],
  ])('turns %j and %j into a valid git identity', (name, mailAddress, expectedName, expectedEmail) => {
    const identity = toGitIdentity({ id: 7, name, mailAddress });
    expect(identity).toEqual({ name: expectedName, email: expectedEmail });
  });

  it('puts a text on one line', () => {
    expect(onOneLine(' a\r\nb\u0000c\t')).toBe('a b c');
  });
});
