import { type EntityManager } from 'typeorm';
import { CustomFieldType } from '../../../src/custom-fields/custom-field-type';
import { CustomFieldItem } from '../../../src/custom-fields/entities/custom-field-item.entity';
import { CustomField } from '../../../src/custom-fields/entities/custom-field.entity';
import { IssueCustomFieldItem } from '../../../src/issues/entities/issue-custom-field-item.entity';
import { IssueCustomField } from '../../../src/issues/entities/issue-custom-field.entity';
import { insertAll, type SeedDatabase, SENTENCE } from '../../support/seed-database';
import { PROJECTS, scatter } from '../population';
import { type Frame, type FrameProject } from './frame';
import { issueId } from './issues';

/** Only the last project has custom fields, so that the lists of the others are read as if none existed. */
const PROJECT = PROJECTS - 1;
const ITEMS = 10;
const ISSUES_PER_TRANSACTION = 4000;
const TYPES = [
  CustomFieldType.Text,
  CustomFieldType.Numeric,
  CustomFieldType.Date,
  CustomFieldType.MultipleList,
] as const;

/** The ids of the custom fields, and of an item. */
export interface SeededCustomFields {
  fieldProjectId: number;
  textFieldId: number;
  numberFieldId: number;
  dateFieldId: number;
  listFieldId: number;
  itemId: number;
}

/** Adds custom fields to one project, and a value of each to three out of four of its issues. */
export async function seedCustomFields(
  database: SeedDatabase,
  { projects, population }: Frame,
): Promise<SeededCustomFields> {
  const { id: projectId } = projects[PROJECT] as FrameProject;
  const ids = await database.write((manager) => insertFields(manager, projectId));
  const issues = Array.from({ length: population.amounts.issues }, (_, issue) => issue).filter(
    (issue) => population.projectOfIssue(issue) === PROJECT && scatter(issue, 41) % 4 > 0,
  );
  for (let start = 0; start < issues.length; start += ISSUES_PER_TRANSACTION) {
    const some = issues.slice(start, start + ISSUES_PER_TRANSACTION);
    await database.write((manager) => insertValues(manager, ids, some));
  }
  return { ...ids, fieldProjectId: projectId };
}

type FieldIds = Omit<SeededCustomFields, 'fieldProjectId'>;

async function insertFields(manager: EntityManager, projectId: number): Promise<FieldIds> {
  await insertAll(manager, CustomField, [...TYPES.keys()], (index) => ({
    projectId,
    name: `Field ${index}`,
    nameKey: `FIELD ${index}`,
    displayOrder: index,
    typeId: TYPES[index],
    description: '',
    required: false,
    settings: {},
    version: 0,
  }));
  const fields = await manager.query<{ id: number }[]>(
    'SELECT id FROM custom_field WHERE project_id = ? ORDER BY display_order',
    [projectId],
  );
  const [textFieldId, numberFieldId, dateFieldId, listFieldId] = fields.map(({ id }) => id) as [
    number,
    number,
    number,
    number,
  ];
  await insertAll(
    manager,
    CustomFieldItem,
    Array.from({ length: ITEMS }, (_, item) => item),
    (item) => ({
      customFieldId: listFieldId,
      name: `Item ${item}`,
      nameKey: `ITEM ${item}`,
      displayOrder: item,
    }),
  );
  const [item] = await manager.query<[{ id: number }]>(
    'SELECT MIN(id) AS id FROM custom_field_item WHERE custom_field_id = ?',
    [listFieldId],
  );
  return { textFieldId, numberFieldId, dateFieldId, listFieldId, itemId: item.id };
}

async function insertValues(
  manager: EntityManager,
  { textFieldId, numberFieldId, dateFieldId, itemId }: FieldIds,
  issues: readonly number[],
): Promise<void> {
  const nothing = { textValue: null, textKey: null, numberValue: null, dateValue: null, otherValue: null };
  await insertAll(manager, IssueCustomField, issues, (issue) => {
    const textValue = `${scatter(issue, 42)} ${SENTENCE}`;
    const textKey = textValue.slice(0, 100);
    return { ...nothing, issueId: issueId(issue), customFieldId: textFieldId, textValue, textKey };
  });
  await insertAll(manager, IssueCustomField, issues, (issue) => ({
    ...nothing,
    issueId: issueId(issue),
    customFieldId: numberFieldId,
    numberValue: (scatter(issue, 43) % 100_000) * 10_000,
  }));
  await insertAll(manager, IssueCustomField, issues, (issue) => ({
    ...nothing,
    issueId: issueId(issue),
    customFieldId: dateFieldId,
    dateValue: `2026-${String(1 + (scatter(issue, 44) % 12)).padStart(2, '0')}-${String(1 + (scatter(issue, 45) % 28)).padStart(2, '0')}`,
  }));
  await insertAll(manager, IssueCustomFieldItem, issues, (issue) => ({
    issueId: issueId(issue),
    itemId: itemId + (scatter(issue, 46) % ITEMS),
  }));
}
