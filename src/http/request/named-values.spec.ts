import fc from 'fast-check';
import { InvalidRequestError } from '../../errors/domain-errors';
import { BodyAndQuery } from './body-and-query';
import { TextField } from './fields';
import { Form, parseForm } from './form';
import { type NamedValues, NamedValuesField } from './named-values';
import { bindQuery, bindRequest } from './request-dto.pipe';
import { RefuseUnknownParameters } from './unknown-names';

@RefuseUnknownParameters()
class SampleDto {
  @TextField({ description: 'A text.', max: 10, optional: true })
  text?: string;

  @NamedValuesField({ pattern: /^value_\d+$/, name: 'value_{id}', description: 'A value.' })
  readonly values: NamedValues = new Map();
}

const bound = (value: unknown): Record<string, unknown> =>
  Object.fromEntries(bindRequest(SampleDto, value).values);

/** Returns the names reported by a refused request. */
function refused(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.problems.map(({ moreInfo }) => moreInfo);
    throw error;
  }
  return [];
}

describe(NamedValuesField.name, () => {
  it('collects JSON fields whose names match the pattern, with numbers as strings', () => {
    const body = { text: 'x', value_1: 'a', value_2: 1.5, value_3: ['a', 2], value_4: null, value_5: [] };
    expect(bound(body)).toEqual({
      value_1: 'a',
      value_2: '1.5',
      value_3: ['a', '2'],
      value_4: null,
      value_5: [],
    });
    expect(bound({})).toEqual({});
  });

  it('collects form fields whose names match the pattern, with or without brackets', () => {
    const form =
      'value_1=a&value_2[]=a&value_2[]=b&value_3[0]=a&value_3[1]=b&value_4[][0]=a&value_4[][1]=b&value_5=';
    expect(bound(parseForm(form))).toEqual({
      value_1: 'a',
      value_2: ['a', 'b'],
      value_3: ['a', 'b'],
      value_4: ['a', 'b'],
      value_5: '',
    });
    expect(Object.fromEntries(bindQuery(SampleDto, parseForm('value_1=a')).values)).toEqual({ value_1: 'a' });
  });

  it('names each field with an unsupported value or an unknown name', () => {
    const body = {
      value_1: true,
      value_2: { a: 1 },
      value_3: [['a']],
      value_4: [null],
      value_x: 'a',
      values: 1,
    };
    expect(refused(() => bound(body)).sort()).toEqual([
      ...['value_1', 'value_2', 'value_3', 'value_4', 'value_x', 'values'],
    ]);
    expect(refused(() => bound({ value_1: Array(1001).fill('a') }))).toEqual(['value_1']);
    expect(() => bindQuery(SampleDto, parseForm('value_x=1'))).toThrow('error.unknownParameter : value_x');
  });

  it('refuses a field with different values in query string and body', () => {
    const both = (body: object, query: string): string[] =>
      refused(() => bound(new BodyAndQuery(body, parseForm(query))));
    expect(both({ value_1: 'a' }, 'value_1=b')).toEqual(['value_1']);
    expect(both({ value_1: 5 }, 'value_1=5')).toEqual([]);
    expect(both({ value_1: [5] }, 'value_1[]=5')).toEqual([]);
  });

  it('accepts any JSON value or names the refused field', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^value_\d{1,3}(\[\d?\])?$/), fc.jsonValue()), (body) => {
        const names = refused(() => bound(body));
        return names.every((name) => /^value_\d+$/.test(name));
      }),
    );
    expect(bound(new Form())).toEqual({});
  });
});
