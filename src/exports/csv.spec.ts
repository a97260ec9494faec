import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvRow } from './csv';

describe('csvRow', () => {
  it('puts cells with separators, quotes and line breaks in quotes', () => {
    expect(csvRow(['a', 'b,c', 'say "x"', 'd\ne', '', ' f '])).toBe('a,"b,c","say ""x""","d\ne",, f \r\n');
  });

  it('writes numbers, several texts and missing values', () => {
    expect(csvRow([1, -2.5, true, null, undefined, ['a', 'b'], []])).toBe('1,-2.5,true,,,"a\nb",\r\n');
  });

  it('prefixes texts that a spreadsheet would execute', () => {
    expect(csvRow(['=1+1', '+1', '-1', '@A1', '\tx', '\rx', 'a=b', ['=x', 'y']])).toBe(
      `'=1+1,'+1,'-1,'@A1,'\tx,"'\rx",a=b,"'=x\ny"\r\n`,
    );
    expect(csvRow(['=1+1', '-1'], true)).toBe('=1+1,-1\r\n');
  });

  it('writes rows that a parser reads back', () => {
    const unit = fc.constantFrom('a', ' ', ',', '"', '\r', '\n', '\t', '=', 'é', '😀');
    fc.assert(
      fc.property(fc.array(fc.string({ unit }), { minLength: 2, maxLength: 5 }), (cells) => {
        const rows: string[][] = parse(csvRow(cells, true), { record_delimiter: '\r\n' });
        expect(rows).toEqual([cells]);
      }),
    );
  });
});
