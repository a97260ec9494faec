import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { bindRequest } from '../../http/request/request-dto.pipe';
import { fieldsOf } from '../../http/request/field';
import { MailAddressField } from './user-fields';
import { anyCharacter } from '../../../test/support/any-character';
import { runs } from '../../../test/support/thoroughness';

class Dto {
  @MailAddressField({ description: 'x' })
  readonly mailAddress: string;
}

describe(MailAddressField.name, () => {
  const ajv = new Ajv();
  addFormats(ajv);
  const isDocumented = ajv.compile(fieldsOf(Dto)?.get('mailAddress')?.schema as object);

  const isAccepted = (mailAddress: string): boolean => {
    try {
      bindRequest(Dto, { mailAddress });
      return true;
    } catch {
      return false;
    }
  };

  const LETTERS = [...'aZ09', ...".-_+!#$%&'*/=?^`{|}~", ...'@@@', ...' "(),:;<>[]\\üß\t\n\0'];
  const almostAddress = fc.oneof(
    fc.emailAddress(),
    fc.tuple(fc.string({ unit: fc.constantFrom(...LETTERS) }), fc.domain()).map((parts) => parts.join('@')),
    fc
      .tuple(fc.emailAddress(), fc.nat(), fc.constantFrom(...LETTERS))
      .map(([text, at, letter]) => text.slice(0, at % text.length) + letter + text.slice(at % text.length)),
    fc.string({ unit: fc.constantFrom(...LETTERS) }),
    fc.string({ unit: anyCharacter }),
  );

  it('accepts exactly the values that the documented schema accepts', () => {
    fc.assert(
      fc.property(almostAddress, (text) => {
        expect({ text, accepted: isAccepted(text) }).toEqual({ text, accepted: isDocumented(text) });
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    ['a@b', false],
    ['a@b.c', true],
    ['a b@c.d', false],
    [' a@b.c', false],
    ['a@b.c ', false],
    ['a..b@c.d', false],
    ['.a@c.d', false],
    ['a@-c.d', false],
    ['a@c_d.e', false],
    ['ü@c.de', false],
    ['a@ü.de', false],
    ['"a"@c.de', false],
    ["o'neil+tag@sub.example.co", true],
    [`${'a'.repeat(249)}@b.com`, true],
    [`${'a'.repeat(250)}@b.com`, false],
    [`a@${'b.'.repeat(500_000)}c`, false],
  ])('validates %s: %s', (text, expected) => {
    expect(isAccepted(text)).toBe(expected);
    expect(isDocumented(text)).toBe(expected);
  });
});
