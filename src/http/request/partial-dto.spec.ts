import { InvalidRequestError } from '../../errors/domain-errors';
import { fieldsOf } from './field';
import { DateField, EnumField, IdListField, TextField } from './fields';
import { parseForm } from './form';
import { PartialDto } from './partial-dto';
import { bindRequest } from './request-dto.pipe';

class AddThingDto {
  @TextField({ description: 'Its name.', min: 1, max: 5, trim: true, example: 'A name' })
  name: string;

  @TextField({ description: '', max: 10, optional: true })
  description: string = '';

  @DateField({ description: '', optional: true })
  dueDate?: string;

  @EnumField({ description: '', values: ['low', 'high'], default: 'low', optional: true })
  priority: string = 'low';

  @IdListField({ description: '', optional: true })
  categoryId: number[] = [];

  @TextField({ description: '', max: 10 })
  key: string;
}

class UpdateThingDto extends PartialDto(AddThingDto, { omit: ['key'], nullable: ['dueDate'] }) {
  @TextField({ description: '', max: 10, optional: true })
  comment?: string;
}

const problemsOf = (value: unknown): string[] => {
  try {
    bindRequest(UpdateThingDto, value);
    return [];
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.problems.map(({ moreInfo }) => moreInfo);
    throw error;
  }
};

describe(PartialDto.name, () => {
  it('makes every field optional and removes its default', () => {
    const dto = bindRequest(UpdateThingDto, {});
    expect(dto).toBeInstanceOf(UpdateThingDto);
    expect(Object.keys(dto)).toEqual([]);
    expect(fieldsOf(UpdateThingDto)?.get('priority')?.schema.default).toBeUndefined();
  });

  it('keeps the parsing and documentation of fields and allows further fields', () => {
    const expected = { name: 'a', dueDate: null, categoryId: [], comment: 'Because.' };
    expect(bindRequest(UpdateThingDto, { ...expected, name: ' a ' })).toEqual(expected);
    expect(
      bindRequest(UpdateThingDto, parseForm('name=+a+&dueDate=&categoryId[]=&comment=Because.')),
    ).toEqual(expected);
    expect(fieldsOf(UpdateThingDto)?.get('name')?.options).toMatchObject({
      description: 'Its name.',
      example: 'A name',
    });
  });

  it.each([
    [
      'null for fields that are not nullable',
      { name: null, description: null, categoryId: null, priority: null },
    ],
    ['values that the original fields refuse', { name: '', dueDate: '2026-02-31', priority: 'none' }],
    ['an omitted field', { key: 'K' }],
    ['an unknown field', { colour: 'red' }],
  ])('refuses %s', (_what, value) => {
    expect(problemsOf(value).sort()).toEqual(Object.keys(value).sort());
  });

  it('leaves the original class unchanged', () => {
    expect(bindRequest(AddThingDto, { name: 'a', key: 'K' })).toEqual({
      name: 'a',
      key: 'K',
      description: '',
      priority: 'low',
      categoryId: [],
    });
    expect([...(fieldsOf(AddThingDto)?.keys() ?? [])]).not.toContain('comment');
    expect(() => bindRequest(AddThingDto, { name: 'a', key: 'K', dueDate: null })).toThrow(
      InvalidRequestError,
    );
  });
});
