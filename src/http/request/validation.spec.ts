import { getMetadataStorage, IsInt, Max, MinLength, ValidateIf, validateSync } from 'class-validator';
import fc from 'fast-check';
import { runs } from '../../../test/support/thoroughness';
import { EnumField, IdListField, TextField } from './fields';
import { validate } from './validation';

class BaseDto {
  @TextField({ description: '', min: 1, max: 5, notBlank: true })
  name: unknown;

  @IdListField({ description: '', optional: true })
  ids: unknown;
}

class SampleDto extends BaseDto {
  @EnumField({ description: '', values: ['asc', 'desc'], optional: true })
  order: unknown;

  @ValidateIf(({ order }: SampleDto) => order === 'asc')
  @IsInt()
  @Max(10)
  count: unknown;

  @MinLength(2, { each: true })
  words: unknown;
}

class BareDto {
  name = 'a';
}

const anything = fc.oneof(
  fc.constantFrom(undefined, null, 'asc', 'desc', '', '  ', 'name', 'longer', 1, 11, 1.5, true),
  fc.array(fc.constantFrom<unknown>('', 'ab', 'abc', 1, 0, null), { maxLength: 3 }),
);

const usual = (dto: object) => validateSync(dto, { stopAtFirstError: true });

describe('validate', () => {
  it('returns what class-validator returns', () => {
    // Mostly valid, so that often a single rule decides.
    const mostly = (...valid: unknown[]) =>
      fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...valid) }, { weight: 1, arbitrary: anything });
    const values = fc.record({
      name: mostly('a', 'name'),
      ids: mostly(undefined, [1], []),
      order: mostly(undefined, 'asc', 'desc'),
      count: mostly(1, 10),
      words: mostly([], ['ab', 'abc'], 'ab'),
    });
    fc.assert(
      fc.property(values, (given) => {
        const dto = Object.assign(new SampleDto(), given);
        expect(validate(dto)).toEqual(usual(dto));
      }),
      { numRuns: runs(2000) },
    );
  });

  it('refuses an object of a class without rules', () => {
    expect(validate(new BareDto())).toEqual(usual(new BareDto()));
  });

  it('looks up the decorators of a class once', () => {
    class OnceDto extends BaseDto {}
    const lookUp = vi.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
    for (let call = 0; call < 3; call++) {
      expect(validate(Object.assign(new OnceDto(), { name: 'a', ids: [] }))).toEqual([]);
    }
    expect(lookUp).toHaveBeenCalledTimes(1);
    lookUp.mockRestore();
  });
});
