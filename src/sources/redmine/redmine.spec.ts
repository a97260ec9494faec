import { attachmentChange, attachmentRemoval, change } from '../../comments/change-log';
import { CustomFieldType } from '../../custom-fields/custom-field-type';
import { isRedmineAddress, toBase } from './address';
import { type ChangeNames, toEntry } from './change-log';
import { type KnownField, toNumber, typeOf } from './project-fields';
import { mapPriorities, mapStatus, toDay, toHours } from './values';
import { PageNames } from './wiki-names';

describe(toBase.name, () => {
  it.each([
    ['redmine+https://redmine.example.com', 'https://redmine.example.com/'],
    ['redmine+https://example.com:8443/tracker/', 'https://example.com:8443/tracker'],
    ['redmine+http://127.0.0.1:3000', 'http://127.0.0.1:3000/'],
    ['redmine+http://localhost/redmine', 'http://localhost/redmine'],
  ])('returns the base of %s', (address, base) => {
    expect([isRedmineAddress(address), toBase(address).href]).toEqual([true, base]);
  });

  it.each([
    'redmine+http://redmine.example.com',
    'redmine+https://',
    'redmine+https://user:key@host',
    'redmine+https://host?key=1',
    'redmine://host',
    'https://host',
  ])('refuses %s', (address) => {
    expect(() => toBase(address)).toThrow(/redmine\+http/);
  });
});

describe(mapStatus.name, () => {
  it.each([
    ['New', false, { standard: 1, resolutionId: null }],
    [' in progress', false, { standard: 2, resolutionId: null }],
    ['解決', false, { standard: 3, resolutionId: null }],
    ['Closed', true, { standard: 4, resolutionId: null }],
    ['Rejected', true, { standard: 4, resolutionId: 1 }],
    ['Duplicate', true, { standard: 4, resolutionId: 3 }],
    ['Shipped', true, { standard: 4, resolutionId: null }],
    ['Feedback', false, { resolutionId: null }],
    ['constructor', false, { resolutionId: null }],
  ])('maps %s', (name, isClosed, status) => {
    expect(mapStatus(name, isClosed)).toEqual(status);
  });
});

describe(mapPriorities.name, () => {
  const map = (names: string[], isDefault = -1): number[] => [
    ...mapPriorities(names.map((name, id) => ({ id, name, is_default: id === isDefault }))).values(),
  ];

  it('maps by the distance from the normal or default priority', () => {
    expect(map(['Low', 'Normal', 'High', 'Urgent'], 2)).toEqual([4, 3, 2, 2]);
    expect(map(['C', 'B', 'A'], 1)).toEqual([4, 3, 2]);
    expect(map(['C', 'B'])).toEqual([3, 3]);
  });
});

describe(toDay.name, () => {
  it.each([
    ['2024-02-29', '2024-02-29'],
    ['2023-02-29', null],
    ['29/02/2024', null],
    ['', null],
    [null, null],
  ])('returns the day of %s', (value, day) => {
    expect(toDay(value)).toBe(day);
  });
});

describe(toHours.name, () => {
  it.each([
    [1.5, 1.5],
    [0, 0],
    [-1, null],
    [1e300, null],
    [undefined, null],
  ])('returns the hours of %s', (value, hours) => {
    expect(toHours(value)).toBe(hours);
  });
});

describe(typeOf.name, () => {
  it.each([
    ['string', false, CustomFieldType.Text],
    ['link', false, CustomFieldType.Text],
    ['text', false, CustomFieldType.TextArea],
    ['int', false, CustomFieldType.Numeric],
    ['float', false, CustomFieldType.Numeric],
    ['date', false, CustomFieldType.Date],
    ['bool', false, CustomFieldType.SingleList],
    ['list', false, CustomFieldType.SingleList],
    ['list', true, CustomFieldType.MultipleList],
    ['user', true, CustomFieldType.MultipleList],
    ['version', false, CustomFieldType.SingleList],
    ['of a plugin', true, CustomFieldType.TextArea],
  ])('returns the type of the format %s', (format, isMultiple, type) => {
    expect(typeOf(format, isMultiple)).toBe(type);
  });
});

describe(toNumber.name, () => {
  it.each([
    ['12', 12],
    ['-1.23456', -1.2346],
    ['.5', 0.5],
    ['1e5', undefined],
    ['0x10', undefined],
    ['999999999999', undefined],
    ['', undefined],
  ])('returns the number of %j', (text, number) => {
    expect(toNumber(text)).toBe(number);
  });
});

describe(PageNames.name, () => {
  const names = new PageNames([
    { title: 'Wiki' },
    { title: 'User_guide', parent: { title: 'Wiki' } },
    { title: 'Install', parent: { title: 'User_guide' } },
    { title: 'One', parent: { title: 'Two' } },
    { title: 'Two', parent: { title: 'One' } },
    { title: '__proto__' },
  ]);

  it.each([
    ['Wiki', 'Home'],
    ['user guide', 'User guide'],
    ['Install', 'User guide/Install'],
    ['install?', 'User guide/Install'],
    ['Missing_page', 'Missing page'],
    ['__proto__', '  proto  '],
  ])('returns the name of %s', (title, name) => {
    expect(names.nameOf(title)).toBe(name);
  });

  it('ends for pages that are above each other', () => {
    expect(names.nameOf('One')).toMatch(/One$/);
  });

  it('keeps the name of the first page where there is another Home', () => {
    expect(new PageNames([{ title: 'Wiki' }, { title: 'Home' }]).nameOf('Wiki')).toBe('Wiki');
  });
});

describe(toEntry.name, () => {
  const SIZE: KnownField = {
    id: 7,
    typeId: CustomFieldType.Numeric,
    name: 'Size',
    format: 'int',
    items: new Map(),
  };
  const DONE: KnownField = { ...SIZE, id: 8, name: 'Done ratio' };
  const named =
    (what: string) =>
    (id: number): string | undefined =>
      id < 10 ? `${what} ${id}` : undefined;
  const names: ChangeNames = {
    ...{ status: named('Status'), tracker: named('Tracker'), priority: named('Priority') },
    ...{ category: named('Category'), version: named('Version'), person: named('Person') },
    ...{ project: named('Project'), issue: named('DEMO') },
    field: (id) => (id === 1 ? SIZE : undefined),
    display: (_field, value) => value,
    doneField: () => DONE,
    text: (text) => text.toUpperCase(),
  };
  const attr = (name: string, old_value: string, new_value: string) =>
    toEntry({ property: 'attr', name, old_value, new_value }, names);

  it.each([
    ['status_id', '1', '2', change('status', 'Status 2', 'Status 1')],
    ['tracker_id', '1', '2', change('issueType', 'Tracker 2', 'Tracker 1')],
    ['priority_id', '1', '2', change('priority', 'Priority 2', 'Priority 1')],
    ['category_id', '', '2', change('component', 'Category 2', '')],
    ['fixed_version_id', '1', '', change('milestone', '', 'Version 1')],
    ['assigned_to_id', '99', '2', change('assigner', 'Person 2', '#99')],
    ['parent_id', '1', '2', change('parentIssue', 'DEMO 2', 'DEMO 1')],
    ['project_id', '1', '2', change('project', 'Project 2', 'Project 1')],
    ['subject', 'a', 'b', change('summary', 'b', 'a')],
    ['description', 'a', 'b', change('description', 'B', 'A')],
    ['start_date', '', '2024-01-02', change('startDate', '2024-01-02', '')],
    ['due_date', '2024-01-02', '', change('limitDate', '', '2024-01-02')],
    ['estimated_hours', '1.0', '2.5', change('estimatedHours', '2.5', '1.0')],
  ])('returns the change of %s', (name, before, after, entry) => {
    expect(attr(name, before, after)).toEqual(entry);
  });

  it('returns the changes of custom fields and of how much is done', () => {
    const custom = toEntry({ property: 'cf', name: '1', old_value: '2', new_value: '3' }, names);
    expect(custom).toEqual({ ...change('Size', '3', '2'), attributeInfo: { id: 7, typeId: '3' } });
    expect(attr('done_ratio', '0', '50')).toMatchObject({ field: 'Done ratio', attributeInfo: { id: 8 } });
  });

  it('returns added and removed files', () => {
    const file = (old_value: string, new_value: string) =>
      toEntry({ property: 'attachment', name: '5', old_value, new_value }, names);
    expect(file('', 'a.txt')).toEqual(attachmentChange({ id: 5, name: 'a.txt' }));
    expect(file('a.txt', '')).toEqual(attachmentRemoval({ id: 5, name: 'a.txt' }));
  });

  it.each([
    { property: 'attr', name: 'is_private' },
    { property: 'attr', name: 'constructor' },
    { property: 'cf', name: '2' },
    { property: 'cf', name: '__proto__' },
    { property: 'attachment', name: 'x' },
    { property: 'relation', name: 'blocks' },
    { property: '__proto__', name: '1' },
  ])('returns nothing for %j', (detail) => {
    expect(toEntry({ ...detail, old_value: '', new_value: '1' }, names)).toBeUndefined();
  });
});
