import { types } from 'mime-types';
import { contentTypeOf } from './content-type';

describe(contentTypeOf.name, () => {
  it.each([
    ['error.log', 'text/plain; charset=utf-8'],
    ['notes.txt', 'text/plain; charset=utf-8'],
    ['data.csv', 'text/csv'],
    ['data.json', 'application/json'],
    ['report.pdf', 'application/pdf'],
    ['photo.PNG', 'image/png'],
    ['photo.jpg', 'image/jpeg'],
    ['README.md', 'text/markdown'],
    ['größe 漢字.zip', 'application/zip'],
    ['plan.xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ])('gives %s the type %s', (name, type) => {
    expect(contentTypeOf(name)).toBe(type);
  });

  it.each(['', 'README', '.', 'a.', 'html', 'a.nosuch', 'a.html ', 'a.__proto__', 'a.constructor'])(
    'returns application/octet-stream for %j',
    (name) => {
      expect(contentTypeOf(name)).toBe('application/octet-stream');
    },
  );

  it.each([
    'html',
    'HTM',
    'shtml',
    'svg',
    'xml',
    'xhtml',
    'xht',
    'xsl',
    'xslt',
    'js',
    'mjs',
    'cjs',
    'css',
    'rss',
    'atom',
  ])('returns text/plain for .%s', (extension) => {
    expect(contentTypeOf(`a.txt.${extension}`)).toBe('text/plain; charset=utf-8');
  });

  it.each(['svgz', 'mht', 'mhtml', 'eml', 'swf', 'wasm', 'jar', 'class', 'exe', 'sh'])(
    'returns application/octet-stream for .%s',
    (extension) => {
      expect(contentTypeOf(`a.${extension}`)).toBe('application/octet-stream');
    },
  );

  it('returns no type that browsers execute or render with scripts', () => {
    const given = new Set(Object.keys(types).map((extension) => contentTypeOf(`a.${extension}`)));
    const active = [...given].filter((type) =>
      /html|\+xml|[/]xml|script$|css|svg|^message|flash|wasm/.test(type),
    );
    // Formats of printers and office programs.
    expect(active.sort()).toEqual([
      'application/postscript',
      'application/vnd.google-apps.script',
      'application/vnd.ms-htmlhelp',
      'application/vnd.yamaha.hv-script',
      'application/x-font-ghostscript',
      'text/x-scss',
    ]);
  });
});
