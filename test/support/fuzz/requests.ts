import fc, { type Arbitrary } from 'fast-check';
import { anyCharacter } from '../any-character';
import { type DocumentedOperation, openApiDocument } from '../conformance';
import { type Population } from './population';

/** A request, and how it is sent. */
export interface FuzzRequest {
  method: string;
  /** From the root of the server. */
  path: string;
  /** Name of the caller's role, `none`, or `wrong`. */
  caller: string;
  credential: 'header' | 'bearer' | 'query';
  contentType: string | undefined;
  body: Buffer;
  framing: Framing;
}

/** `right` and `chunked` are well-formed HTTP; the others may get no response, and some break off in the middle. */
export type Framing =
  | 'right'
  | 'chunked'
  | 'aborted'
  | 'too short a length'
  | 'too long a length'
  | 'two lengths'
  | 'length and chunks'
  | 'broken chunk'
  | 'open chunk'
  | 'broken header';

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  maxItems?: number;
  items?: Schema;
  nullable?: boolean;
  pattern?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}

const JSON_TYPE = 'application/json';
const FORM = 'application/x-www-form-urlencoded';
const MULTIPART = 'multipart/form-data; boundary=b';

/** Without 1, the id of the Administrator who creates the population. */
const HOSTILE_TEXTS = [
  ...['', ' ', '0', '-1', '-0', '007', '1e3', '1.5', '0x10', 'NaN', 'null', 'true', 'undefined', '[]', '{}'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '9'.repeat(400)],
  ...['__proto__', 'constructor', 'toString', 'hasOwnProperty', '../../etc/passwd', '..', '.', 'a/b', 'a\\b'],
  ...[
    "' OR 1=1 --",
    '%',
    '_',
    '%00',
    '\0',
    '\n',
    '\r\nX: y',
    '\ufeff',
    '\ufffd',
    '\ud800',
    '😀',
    'İ',
    'ß',
    '\u202e',
  ],
  ...[
    '<@U1><@project>',
    '<script>',
    '${x}',
    '{{x}}',
    'FUZZA0',
    'NOSUCH-1',
    'x'.repeat(256),
    'x'.repeat(2000),
  ],
  ...[
    '2026-02-30',
    '0000-00-00',
    '9999-12-31',
    '-000001-01-01',
    '2026-01-31T09:30:00Z',
    '2026-01-31T24:00:00Z',
  ],
];

const CUSTOM_FIELD_NAMES = ['', '_otherValue', '_min', '_max', '[]', '[0]', '[][0]'].flatMap((end) =>
  [0, 1, 2, 3, '01', '9'.repeat(17)].map((id) => `customField_${id}${end}`),
);

const HOSTILE_NAMES = [
  ...CUSTOM_FIELD_NAMES,
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'length', 'apiKey'],
  ...['', '[]', '[0]', 'x[y]', 'id', 'count', 'offset', 'x'.repeat(300), '\0', '\ud800', '😀'],
];

const hostileText = fc.oneof(
  fc.constantFrom(...HOSTILE_TEXTS),
  fc.string({ unit: anyCharacter }),
  fc.string(),
);

const hostileValue: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 0.1, 1e300, -1e-300, 2 ** 53, 2 ** 31, [], {}, [[]], [null], {
    length: 1,
  }),
  hostileText,
  fc.jsonValue(),
  fc.constant(JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":1}}') as unknown),
);

// Making these takes milliseconds.
const mailAddress = fc.emailAddress();
const projectKey = fc.stringMatching(/^[A-Z]{5,8}$/);
const customFieldName = fc.stringMatching(/^customField_[1-4]$/);
const lowerCase = fc.stringMatching(/^[a-z]{8,12}$/);

const unknownEntries = fc.array(
  fc.tuple(fc.oneof(fc.constantFrom(...HOSTILE_NAMES), hostileText), hostileValue),
  { maxLength: 3 },
);

/** Generates a value that usually fits the schema. */
function valueOf(schema: Schema, name: string, population: Population): Arbitrary<unknown> {
  const fitting = fittingValue(schema, name, population);
  return fc.oneof(
    { weight: 12, arbitrary: schema.nullable ? fc.option(fitting, { freq: 6 }) : fitting },
    { weight: 1, arbitrary: hostileValue },
  );
}

function fittingValue(schema: Schema, name: string, population: Population): Arbitrary<unknown> {
  const { type, minimum = 0, maximum = 2 ** 31, minLength = 0, maxLength = 50 } = schema;
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => fittingValue(one, name, population)));
  if (type === 'array') {
    return fc.array(fittingValue(schema.items ?? {}, name, population), { maxLength: 4 });
  }
  const known = population.values.get(name);
  if (known && type === 'integer') {
    return fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: fc.nat() });
  }
  if (type === 'integer') return fc.integer({ min: minimum, max: maximum });
  if (type === 'number') return fc.integer({ min: 0, max: 10_000 }).map((number) => number / 100);
  if (type === 'boolean') return fc.boolean();
  if (schema.format === 'date') return fc.constantFrom('2026-01-31', '1000-01-01', '9999-12-31');
  if (schema.format === 'date-time')
    return fc.constantFrom('2026-01-31T09:30:00Z', '2026-01-31T09:30:00.5+02:00');
  if (schema.format === 'email') return mailAddress;
  if (schema.format === 'uri') return fc.constantFrom('http://127.0.0.1:9/', 'http://127.0.0.1:9/?a=b#c');
  if (schema.pattern?.startsWith('^#')) return fc.constant('#7ea800');
  if (schema.pattern?.startsWith('^[A-Z]')) return projectKey;
  if (schema.pattern?.startsWith('^customField')) return customFieldName;
  if (schema.pattern) return lowerCase;
  return textOfLength(minLength, Math.max(minLength, Math.min(maxLength, 50)));
}

const texts = new Map<string, Arbitrary<string>>();

/** Generates texts. Each generator is made once, because that takes milliseconds. */
function textOfLength(minLength: number, maxLength: number): Arbitrary<string> {
  const key = `${minLength} ${maxLength}`;
  const text = texts.get(key) ?? fc.string({ unit: 'grapheme', minLength, maxLength });
  texts.set(key, text);
  return text;
}

/** Generates fields or parameters with their values; sometimes a few are missing, or unknown ones added. */
function entriesOf(
  fields: Record<string, Schema>,
  required: readonly string[],
  population: Population,
): Arbitrary<[string, unknown][]> {
  const record = Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, valueOf(schema, name, population)]),
  );
  const requiredKeys = required.filter((name) => name in record);
  const known = fc.oneof(
    { weight: 12, arbitrary: fc.record(record, { requiredKeys }) },
    { weight: 1, arbitrary: fc.record(record, { requiredKeys: [] }) },
  );
  return fc
    .tuple(
      known,
      fc.oneof({ weight: 9, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: unknownEntries }),
    )
    .map(([given, more]) => [...Object.entries(given as object), ...more] as [string, unknown][]);
}

const toJson = (entries: [string, unknown][]): string =>
  `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(',')}}`;

const listNames = ['[]', '[0]', '', '[x]', '[0][1]'];
const pairs = fc.constantFrom(...listNames.slice(0, 3).flatMap((how) => [how, how]), ...listNames);

/** Returns the name-value pairs of a form for the entries. */
const toPairs = (entries: [string, unknown][], how: string): [string, string][] =>
  entries.flatMap(([name, value]): [string, string][] =>
    Array.isArray(value) ? value.map((one) => [name + how, textOf(one)]) : [[name, textOf(value)]],
  );

const textOf = (value: unknown): string =>
  value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const toForm = (entries: [string, string][]): string =>
  entries.map((pair) => pair.map((text) => encodeURIComponent(text.toWellFormed())).join('=')).join('&');

/** Returns a name as browsers write it in the head of a part. */
const inHead = (text: string): string => text.replace(/["\r\n]/g, encodeURIComponent);

const toMultipart = (entries: [string, string][]): Buffer =>
  Buffer.from(
    `${entries
      .map(
        ([name, value]) =>
          `--b\r\nContent-Disposition: form-data; name="${inHead(name)}"\r\n\r\n${value}\r\n`,
      )
      .join('')}--b--\r\n`,
  );

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));

const partHead = fc.oneof(
  fc.constantFrom(
    'Content-Disposition: form-data; name="file"; filename="a.txt"',
    'Content-Disposition: form-data; name="file"; filename="a.txt"\r\nContent-Type: text/plain',
    'Content-Disposition: form-data; name="content"',
    'Content-Disposition: form-data; name="content"\r\nContent-Type: text/plain; charset=utf-16le',
    'Content-Disposition: form-data; name="content"\r\nContent-Type: text/plain; charset=nosuch',
    'Content-Disposition: form-data; name="x"; filename="a"',
    'Content-Disposition: form-data; name=""',
    'Content-Disposition: form-data; filename="a"',
    "Content-Disposition: form-data; name=file; filename*=UTF-8''%FF",
    "Content-Disposition: form-data; name=file; filename*=nosuch''a",
    'Content-Disposition: form-data',
    'Content-Disposition: attachment; name="content"',
    'Content-Disposition: form-data; name="content',
    'Content-Type: application/octet-stream',
    'X',
    '',
  ),
  hostileText.map((text) => `Content-Disposition: form-data; name="file"; filename="${text}"`),
);

/** Generates malformed multipart forms, sometimes truncated. */
const brokenMultipart = fc
  .tuple(
    fc.array(fc.tuple(partHead, fc.oneof(fc.constant(Buffer.from('text')), bytes)), {
      minLength: 1,
      maxLength: 4,
    }),
    fc.constantFrom('--b--\r\n', '--b--', '--b', '', '--b\r\n', '\r\n'),
    fc.option(fc.nat(300), { freq: 2 }),
  )
  .map(([parts, end, cut]) => {
    const form = Buffer.concat([
      ...parts.flatMap(([head, content]) => [
        Buffer.from(`--b\r\n${head}\r\n\r\n`),
        content,
        Buffer.from('\r\n'),
      ]),
      Buffer.from(end),
    ]);
    return form.subarray(0, cut ?? undefined);
  });

const repeated = (text: string, times: number, end = ''): Buffer => Buffer.from(text.repeat(times) + end);

const BROKEN_BODIES: readonly [type: string, body: Buffer][] = [
  [JSON_TYPE, repeated('[', 20_000)],
  [JSON_TYPE, repeated('{"a":', 20_000)],
  [JSON_TYPE, repeated('[', 2000, ']'.repeat(2000))],
  [JSON_TYPE, Buffer.from(`{"content":${'9'.repeat(20_000)}}`)],
  [JSON_TYPE, Buffer.from('{"content":1e999999}')],
  [JSON_TYPE, Buffer.from('\ufeff{}')],
  [JSON_TYPE, Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  [JSON_TYPE, Buffer.from('{"content":"\\ud800"}')],
  [JSON_TYPE, Buffer.from(`{${'"content":"a",'.repeat(6000)}"content":"b"}`)],
  [`${JSON_TYPE}; charset=utf-16`, Buffer.from('{}', 'utf16le')],
  [FORM, repeated('a&', 6000)],
  [FORM, repeated('content[]=a&', 4000)],
  [FORM, Buffer.from('content=%ff&%zz=%')],
  [FORM, Buffer.from([0x61, 0x3d, 0xff])],
  [FORM, repeated('&=', 2000)],
  [MULTIPART, repeated('--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n', 5500, '--b--')],
  ['multipart/form-data', Buffer.from('--b--')],
  ['multipart/form-data; boundary=', Buffer.from('--b--')],
  [`multipart/form-data; boundary=${'b'.repeat(3000)}`, repeated('b', 10_000)],
  ['text/plain', Buffer.from('x')],
  ['', Buffer.from('x')],
];

interface Content {
  contentType: string | undefined;
  body: Buffer;
}

const nothing: Arbitrary<Content> = fc.constant({ contentType: undefined, body: Buffer.alloc(0) });

const broken: Arbitrary<Content> = fc.oneof(
  fc.constantFrom(...BROKEN_BODIES).map(([contentType, body]) => ({ contentType, body })),
  { weight: 3, arbitrary: brokenMultipart.map((body) => ({ contentType: MULTIPART, body })) },
  fc
    .tuple(
      fc.constantFrom(JSON_TYPE, FORM, MULTIPART),
      fc.oneof(
        bytes,
        hostileText.map((text) => Buffer.from(text)),
      ),
    )
    .map(([contentType, body]) => ({ contentType, body })),
);

/** @param entries those of a JSON body */
function contentOf(
  { operation }: DocumentedOperation,
  entries: Arbitrary<[string, unknown][]>,
): Arbitrary<Content> {
  const body = operation.requestBody as { content: Record<string, { schema: Schema }> } | undefined;
  if (!body) return fc.oneof({ weight: 6, arbitrary: nothing }, { weight: 1, arbitrary: broken });
  if (!(JSON_TYPE in body.content)) {
    const file = fc.tuple(hostileText, bytes).map(([name, content]) => ({
      contentType: MULTIPART,
      body: Buffer.concat([
        Buffer.from(`--b\r\nContent-Disposition: form-data; name="file"; filename="${inHead(name)}"\r\n\r\n`),
        content,
        Buffer.from('\r\n--b--\r\n'),
      ]),
    }));
    return fc.oneof(file, broken, nothing);
  }
  const good = fc.oneof(
    {
      weight: 3,
      arbitrary: entries.map((given) => ({ contentType: JSON_TYPE, body: Buffer.from(toJson(given)) })),
    },
    fc
      .tuple(entries, pairs)
      .map(([given, how]) => ({ contentType: FORM, body: Buffer.from(toForm(toPairs(given, how))) })),
    fc
      .tuple(entries, pairs)
      .map(([given, how]) => ({ contentType: MULTIPART, body: toMultipart(toPairs(given, how)) })),
  );
  const cut = fc
    .tuple(good, fc.nat(300))
    .map(([content, at]) => ({ ...content, body: content.body.subarray(0, at) }));
  return fc.oneof(
    { weight: 8, arbitrary: good },
    { weight: 1, arbitrary: cut },
    { weight: 4, arbitrary: broken },
    { weight: 1, arbitrary: nothing },
  );
}

const resolved = (schema: Schema): Schema =>
  schema.$ref
    ? (openApiDocument.components?.schemas?.[schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1)] as Schema)
    : schema;

/** Returns the schema of a JSON body; an empty one without a body or for an upload. */
function bodySchemaOf({ requestBody }: DocumentedOperation['operation']): Schema {
  const body = requestBody as { content: Record<string, { schema: Schema }> } | undefined;
  const json = body?.content[JSON_TYPE];
  return json ? resolved(json.schema) : {};
}

/** Generates the path of an operation with values for its parameters, and its query. @param fields those of its body */
function pathOf(
  { path, operation }: DocumentedOperation,
  population: Population,
  fields: Arbitrary<[string, unknown][]>,
): Arbitrary<string> {
  const parameters = (operation.parameters ?? []) as unknown as Parameter[];
  const segments = path.split('/').map((segment): Arbitrary<string> => {
    // As in `{number}.diff`.
    const [, name, suffix = ''] = /^\{(\w+)\}(.*)$/.exec(segment) ?? [];
    if (name === undefined) return fc.constant(segment);
    const known = population.values.get(name) ?? ['x'];
    return fc
      .oneof(
        { weight: 12, arbitrary: fc.constantFrom(...known).map(String) },
        { weight: 1, arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed()) || '0') },
      )
      .map((value) => value + suffix);
  });
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const parametersOfQuery = entriesOf(
    Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema])),
    inQuery.filter(({ required }) => required === true).map(({ name }) => name),
    population,
  );
  const query = (
    bodySchemaOf(operation).properties
      ? fc.oneof(
          { weight: 3, arbitrary: parametersOfQuery },
          // Writes take their fields from the query string too.
          { weight: 1, arbitrary: fields },
        )
      : parametersOfQuery
  ).chain((entries) =>
    fc.tuple(fc.subarray(entries), pairs).map(([given, how]) => toForm(toPairs(given, how))),
  );
  const rawQuery = fc.constantFrom(
    '%',
    '%ff',
    '%00=1',
    '&&=&',
    'a[][]=1',
    `${'x&'.repeat(5500)}x`,
    'count=1&count=2',
  );
  return fc
    .tuple(
      fc.tuple(...segments),
      fc.oneof({ weight: 20, arbitrary: query }, { weight: 1, arbitrary: rawQuery }),
    )
    .map(([given, text]) => given.join('/') + (text === '' ? '' : `?${text}`));
}

const BROKEN_FRAMINGS: readonly Framing[] = [
  'chunked',
  'aborted',
  'too short a length',
  'too long a length',
  'two lengths',
  'length and chunks',
  'broken chunk',
  'open chunk',
  'broken header',
];

/** Generates requests to an operation, most of which match the document. */
export function requestsTo(
  documented: DocumentedOperation,
  basePath: string,
  population: Population,
): Arbitrary<FuzzRequest> {
  const isOutside = openApiDocument.paths[documented.path]?.servers !== undefined;
  const method = documented.method.toUpperCase();
  const { properties = {}, required = [] } = bodySchemaOf(documented.operation);
  const fields = entriesOf(properties, required, population);
  return fc
    .record({
      method: method === 'GET' ? fc.constantFrom('GET', 'GET', 'GET', 'HEAD') : fc.constant(method),
      path: pathOf(documented, population, fields),
      caller: fc.constantFrom(
        ...Array<string>(8).fill('Administrator'),
        ...Object.keys(population.keys),
        'none',
        'wrong',
      ),
      credential: fc.constantFrom('header', 'header', 'bearer', 'query'),
      content: contentOf(documented, fields),
      framing: fc.oneof(
        { weight: 12, arbitrary: fc.constant<Framing>('right') },
        { weight: 1, arbitrary: fc.constantFrom(...BROKEN_FRAMINGS) },
      ),
    })
    .map(({ content, path, ...request }) => ({
      ...request,
      ...content,
      path: isOutside ? path : basePath + path,
    }));
}
