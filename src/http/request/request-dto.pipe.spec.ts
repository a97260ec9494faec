import fc from 'fast-check';
import { InvalidRequestError, type Problem } from '../../errors/domain-errors';
import {
  BooleanField,
  ColorField,
  EnumField,
  IdListField,
  IntegerField,
  NumericEnumListField,
  TextField,
} from './fields';
import { Form, parseForm } from './form';
import { bindQuery, bindRequest, RequestDtoPipe } from './request-dto.pipe';
import { RefuseUnknownParameters } from './unknown-names';
import { anyCharacter } from '../../../test/support/any-character';
import { runs } from '../../../test/support/thoroughness';

class SampleDto {
  @TextField({ description: '', min: 1, max: 10, trim: true })
  name: string;

  @TextField({ description: '', max: 10, notBlank: true, optional: true })
  content?: string;

  @ColorField({ description: '', optional: true })
  color?: string;

  @IntegerField({ description: '', min: 0, max: 100, optional: true })
  count: number = 20;

  @BooleanField({ description: '', optional: true })
  flag: boolean = false;

  @EnumField({ description: '', values: ['asc', 'desc'], optional: true })
  order?: string;

  @IdListField({ description: '', optional: true })
  ids: number[] = [];

  @NumericEnumListField({ description: '', codes: [1, 2], optional: true })
  codes: number[] = [];
}

const FIELDS = ['name', 'content', 'color', 'count', 'flag', 'order', 'ids', 'codes'];
const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf'];

type Outcome = { dto: SampleDto } | { problems: Problem[] };

function outcomeOf(value: unknown): Outcome {
  try {
    return { dto: bindRequest(SampleDto, value) };
  } catch (error) {
    if (error instanceof InvalidRequestError) return { problems: error.problems };
    throw error;
  }
}

const problemsOf = (value: unknown): Problem[] => {
  const outcome = outcomeOf(value);
  return 'problems' in outcome ? outcome.problems : [];
};

/** An object created by `JSON.parse`, where `__proto__` is an ordinary name. */
const jsonObject = (entries: [string, unknown][]): unknown =>
  JSON.parse(
    `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`,
  );

describe(bindRequest.name, () => {
  it('accepts any JSON value or refuses it with InvalidRequestError', () => {
    const name = fc.oneof(fc.constantFrom(...FIELDS, ...INHERITED), fc.string({ unit: anyCharacter }));
    const object = fc.array(fc.tuple(name, fc.jsonValue())).map(jsonObject);
    fc.assert(
      fc.property(fc.oneof(object, fc.jsonValue()), (value) => {
        const outcome = outcomeOf(value);
        if ('dto' in outcome) {
          expect(Object.keys(outcome.dto).filter((key) => !FIELDS.includes(key))).toEqual([]);
          expect(outcome.dto).toBeInstanceOf(SampleDto);
        } else {
          expect(outcome.problems.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: runs(1000) },
    );
  });

  it.each([null, true, 1, 'text', []])('refuses %j, which is not an object', (value) => {
    expect(problemsOf(value)).toEqual([{ message: 'The request body must be a JSON object.', moreInfo: '' }]);
  });

  it.each(INHERITED)('refuses the field %s without changing Object.prototype', (name) => {
    const value = jsonObject([
      ['name', 'n'],
      [name, { polluted: true }],
    ]);
    expect(problemsOf(value)).toEqual([{ message: `Unknown field or parameter: ${name}.`, moreInfo: name }]);
    expect(problemsOf(parseForm(`name=n&${name}=1`))).toEqual([
      { message: `Unknown field or parameter: ${name}.`, moreInfo: name },
    ]);
    expect({}).not.toHaveProperty('polluted');
  });

  it('reports one problem for each unknown, missing or invalid field', () => {
    const names = problemsOf({ colour: 1, count: 101, flag: 'yes', ids: 'x', Name: 'n' }).map(
      (problem) => problem.moreInfo,
    );
    expect(names.sort()).toEqual(['Name', 'colour', 'count', 'flag', 'ids', 'name']);
  });

  it('reports unknown names well-formed, cut to 100 characters, and at most 100 of them', () => {
    const [problem] = problemsOf(JSON.parse('{"name":"n","\\ud800":1}'));
    expect(problem?.moreInfo).toBe('\ufffd');
    expect(problemsOf({ name: 'n', ['x'.repeat(1000)]: 1 })[0]?.moreInfo).toHaveLength(100);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`field${index}`, 1]));
    expect(problemsOf(many)).toHaveLength(100);
  });

  it.each([
    ...['string', true, {}, [], null].map((value) => ['count', value] as const),
    ...['true', 0, {}, [], null].map((value) => ['flag', value] as const),
    ...[1, true, {}, ['a'], null].map((value) => ['content', value] as const),
    ...['1', 1, { 0: 1 }, ['1'], [null], [1.5], [0], [2 ** 53], null].map((value) => ['ids', value] as const),
    ...[[3], ['1'], 1, null].map((value) => ['codes', value] as const),
    ...[['asc'], 'ASC', '', null].map((value) => ['order', value] as const),
    ...[Infinity, NaN, 1.5, -1, 101].map((value) => ['count', value] as const),
  ])('refuses %s with the value %j', (field, value) => {
    expect(problemsOf({ name: 'n', [field]: value })).toEqual([
      { message: expect.stringContaining(field) as string, moreInfo: field },
    ]);
  });

  it('sets defaults for absent fields and omits optional fields without a default', () => {
    const dto = bindRequest(SampleDto, { name: ' n ' });
    expect(dto).toEqual({ name: 'n', count: 20, flag: false, ids: [], codes: [] });
    expect(Object.keys(dto)).not.toContain('content');
  });

  it('returns the same result for a form and for JSON with equal values', () => {
    const values = fc.record(
      {
        name: fc.string({ unit: anyCharacter, maxLength: 12 }),
        content: fc.string({ unit: anyCharacter, maxLength: 12 }),
        color: fc.oneof(fc.constant('#ABCDEF'), fc.string()),
        count: fc.integer(),
        flag: fc.boolean(),
        order: fc.constantFrom('asc', 'desc', 'up'),
        ids: fc.array(fc.integer({ min: -1, max: 5 })),
        codes: fc.array(fc.integer({ min: 0, max: 3 })),
      },
      { requiredKeys: ['name'] },
    );
    fc.assert(
      fc.property(values, (value) => {
        const pairs = Object.entries(value).flatMap(([name, item]): [string, string][] =>
          Array.isArray(item)
            ? item.length === 0
              ? [[`${name}[]`, '']]
              : item.map((one): [string, string] => [`${name}[]`, String(one)])
            : [[name, String(item)]],
        );
        const form = parseForm(new URLSearchParams(pairs).toString());
        expect(outcomeOf(form)).toEqual(outcomeOf(value));
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    ['ids=1&ids=2', { ids: [1, 2] }],
    ['ids[0]=2&ids[1]=2&ids[2]=1', { ids: [2, 1] }],
    ['ids=7', { ids: [7] }],
    ['ids[]=', { ids: [] }],
    ['count=007', { count: 7 }],
    ['count[]=7&content[0]=a', { count: 7, content: 'a' }],
    ['flag=true', { flag: true }],
  ])('converts the values of the form %s to the types of the fields', (text, fields) => {
    expect(outcomeOf(parseForm(`name=n&${text}`))).toEqual({ dto: expect.objectContaining(fields) });
  });

  it.each([
    ['count=', 'count'],
    ['count=1e1', 'count'],
    ['count=0x10', 'count'],
    ['count=%201', 'count'],
    ['count=9007199254740993', 'count'],
    ['count=1&count=2', 'count'],
    ['count[]=1&count[]=2', 'count'],
    ['flag=1', 'flag'],
    ['flag=TRUE', 'flag'],
    ['content=a&content=b', 'content'],
    ['content[]=a&content[]=b', 'content'],
    ['ids[]=1&ids[]=', 'ids'],
    ['ids=1,2', 'ids'],
  ])('refuses the form %s', (text, field) => {
    expect(problemsOf(parseForm(`name=n&${text}`)).map(({ moreInfo }) => moreInfo)).toEqual([field]);
  });
});

class PlainDto {
  name?: string;
}

describe(RequestDtoPipe.name, () => {
  const pipe = new RequestDtoPipe();

  it('creates request DTOs and returns other values unchanged', () => {
    expect(pipe.transform({ name: 'n' }, { type: 'body', metatype: SampleDto })).toBeInstanceOf(SampleDto);
    const form = new Form();
    expect(pipe.transform(form, { type: 'custom', metatype: Object })).toBe(form);
    expect(pipe.transform('1', { type: 'param', metatype: String })).toBe('1');
    expect(pipe.transform('1', { type: 'param' })).toBe('1');
  });

  it.each(['body', 'query'] as const)('throws for a %s without a request DTO class', (type) => {
    for (const metatype of [PlainDto, Object, undefined]) {
      expect(() => pipe.transform({}, { type, metatype })).toThrow();
      expect(() => pipe.transform({ name: 'n' }, { type, metatype })).toThrow();
    }
  });
});

describe(bindQuery.name, () => {
  class LooseQuery {
    @IntegerField({ description: '', min: 0, max: 100, optional: true })
    count: number = 20;
  }

  @RefuseUnknownParameters()
  class StrictQuery extends LooseQuery {}

  class InheritingQuery extends StrictQuery {}

  it('ignores unknown parameters', () => {
    expect(bindQuery(LooseQuery, parseForm('count=1&colour=red&__proto__=1'))).toEqual({ count: 1 });
    expect(() => bindQuery(LooseQuery, parseForm('count=x&colour=red'))).toThrow('count must be');
  });

  it.each([StrictQuery, InheritingQuery])(
    'refuses unknown parameters of a RefuseUnknownParameters class, naming each',
    (query) => {
      try {
        bindQuery(query, parseForm('count=1&colour=red&%F0%9F%98%80=1'));
        throw new Error('It was taken.');
      } catch (error) {
        expect((error as InvalidRequestError).problems).toEqual([
          { message: 'error.unknownParameter : colour', moreInfo: '' },
          { message: 'error.unknownParameter : 😀', moreInfo: '' },
        ]);
      }
    },
  );
});
