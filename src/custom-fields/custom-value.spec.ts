import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character';
import { type NamedValue } from '../http/request/named-values';
import { CustomFieldType } from './custom-field-type';
import { type CustomFieldSettings } from './custom-field-settings';
import { type WholeCustomField } from './custom-field.mapper';
import {
  type CustomValue,
  isNoValue,
  NO_CUSTOM_VALUE,
  parseCustomValue,
  type ParsedValue,
  parseOtherValue,
} from './custom-value';
import { fromStored, hasFewDecimals, toStored } from './numbers';

const field = (typeId: CustomFieldType, settings: CustomFieldSettings = {}): WholeCustomField => ({
  id: 1,
  projectId: 1,
  name: 'Field',
  displayOrder: 0,
  typeId,
  description: '',
  required: false,
  settings: { min: null, max: null, ...settings },
  version: 0,
  issueTypeIds: [],
  items: [10, 11, 12].map((id, displayOrder) => ({ id, customFieldId: 1, name: `Item ${id}`, displayOrder })),
});

const valueOf = (parsed: ParsedValue): Partial<CustomValue> | undefined =>
  'value' in parsed ? parsed.value : undefined;

const { Text, TextArea, Numeric, Date: Day, SingleList, MultipleList, CheckBox, Radio } = CustomFieldType;
const ALL = [Text, TextArea, Numeric, Day, SingleList, MultipleList, CheckBox, Radio];

describe(parseCustomValue.name, () => {
  it.each([
    [Text, 'word', { text: 'word' }],
    [Text, ['word'], { text: 'word' }],
    [Text, ['one', 'two'], undefined],
    [Text, '\0', undefined],
    [Text, '\ud800', undefined],
    [TextArea, 'x'.repeat(10_000), { text: 'x'.repeat(10_000) }],
    [TextArea, 'x'.repeat(10_001), undefined],
    [Numeric, '-1.25', { number: -1.25 }],
    [Numeric, '-0', { number: 0 }],
    [Numeric, '0.29', { number: 0.29 }],
    [Numeric, '1.00000', { number: 1 }],
    [Numeric, '99999999999', { number: 99_999_999_999 }],
    [Numeric, '100000000000', undefined],
    [Numeric, '0.00001', undefined],
    [Numeric, '1e3', undefined],
    [Numeric, ' 1', undefined],
    [Numeric, 'NaN', undefined],
    [Day, '2026-02-28', { date: '2026-02-28' }],
    [Day, '2026-02-30', undefined],
    [Day, '0999-01-01', undefined],
    [Day, '2026-02-28T00:00:00Z', undefined],
    [SingleList, '11', { itemIds: [11] }],
    [SingleList, ['10', '11'], undefined],
    [Radio, ['12'], { itemIds: [12] }],
    [MultipleList, ['12', '10', '12'], { itemIds: [10, 12] }],
    [CheckBox, ['10', '13'], undefined],
    [CheckBox, ['10', ''], undefined],
  ] as const)('parses for type %p the value %p', (type, given, expected) => {
    expect(valueOf(parseCustomValue(field(type), given))).toEqual(expected);
  });

  it.each([
    [Text, 255],
    [TextArea, 10_000],
  ])('accepts texts of type %p of up to %p characters', (type, most) => {
    expect(valueOf(parseCustomValue(field(type), '😀'.repeat(most)))).toBeDefined();
    expect(valueOf(parseCustomValue(field(type), 'x'.repeat(most + 1)))).toBeUndefined();
  });

  it.each(ALL)('reads null and empty inputs of type %p as no value', (type) => {
    for (const nothing of [null, '', [], ['']]) {
      const value = valueOf(parseCustomValue(field(type), nothing));
      expect(isNoValue({ ...NO_CUSTOM_VALUE, ...value })).toBe(true);
      expect(value).toBeDefined();
    }
  });

  it('enforces the bounds of numbers and dates', () => {
    const number = field(Numeric, { min: -1, max: 2.5 });
    const kept = ['-1.0001', '-1', '2.5', '2.5001'].map((text) => 'value' in parseCustomValue(number, text));
    expect(kept).toEqual([false, true, true, false]);
    const day = field(Day, { min: '2026-01-02', max: '2026-01-03' });
    const days = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'];
    expect(days.map((text) => 'value' in parseCustomValue(day, text))).toEqual([false, true, true, false]);
  });

  it('returns a storable value or a problem for any input', () => {
    const given: fc.Arbitrary<NamedValue> = fc.oneof(
      fc.constant(null),
      fc.string({ unit: anyCharacter }),
      fc.double().map(String),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
      fc.array(fc.oneof(fc.integer({ min: 8, max: 14 }).map(String), fc.string()), { maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.constantFrom(...ALL), given, (type, value) => {
        const parsed = parseCustomValue(field(type), value);
        if ('problem' in parsed) return parsed.problem.length > 0;
        const { text, number, date, itemIds } = { ...NO_CUSTOM_VALUE, ...parsed.value };
        return (
          (text === null || (text.isWellFormed() && !text.includes('\0'))) &&
          (number === null || (hasFewDecimals(number) && fromStored(toStored(number)) === number)) &&
          (date === null || /^\d{4}-\d\d-\d\d$/.test(date)) &&
          itemIds.every(
            (id, index) => id >= 10 && id <= 12 && (index === 0 || id > (itemIds[index - 1] ?? 0)),
          )
        );
      }),
      { numRuns: 300 },
    );
  });

  it('stores numbers with up to four decimals exactly', () => {
    const MOST = 99_999_999_999;
    fc.assert(
      fc.property(fc.integer({ min: -MOST, max: MOST }), fc.nat(9999), (whole, rest) => {
        const text = `${whole}.${String(rest).padStart(4, '0')}`;
        const parsed = valueOf(parseCustomValue(field(Numeric), text));
        if (Math.abs(Number(text)) > MOST) return parsed === undefined;
        const stored = toStored(parsed?.number as number);
        return Number.isSafeInteger(stored) && fromStored(stored) === Number(text);
      }),
      { numRuns: 300 },
    );
  });
});

describe(parseOtherValue.name, () => {
  it('accepts a text only where the field allows it', () => {
    expect(parseOtherValue(field(CheckBox, { allowInput: true }), 'Mine')).toEqual({
      value: { other: 'Mine' },
    });
    expect(parseOtherValue(field(Radio, { allowInput: false }), 'Mine')).toHaveProperty('problem');
    expect(parseOtherValue(field(MultipleList, { allowInput: true }), 'Mine')).toHaveProperty('problem');
    expect(parseOtherValue(field(Radio, { allowInput: true }), 'x'.repeat(256))).toHaveProperty('problem');
    expect(parseOtherValue(field(Text), null)).toEqual({ value: { other: null } });
  });
});
