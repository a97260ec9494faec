import { type Person } from './world';

/** Matches values for which the check holds, inside `toEqual`. */
const satisfying = (description: string, check: (value: unknown) => boolean): unknown => ({
  asymmetricMatch: check,
  toAsymmetricMatcher: () => description,
});

/** Matches an id that is safe as a JSON number. */
export const anId = satisfying('an id', (value) => Number.isSafeInteger(value) && (value as number) > 0);

/** Matches an integer. */
export const anInteger = satisfying('an integer', Number.isSafeInteger);

/** Matches a UTC time without fractions of a second. */
export const aTimestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) as unknown;

/** Matches every field of a user (`docs/protocol.md#user`) and no other. */
export const userShape = (person: Pick<Person, 'id' | 'name'>): object => ({
  id: person.id,
  userId: expect.stringMatching(/./),
  name: person.name,
  roleType: satisfying('a role type', (value) => [1, 2, 3, 4, 5, 6].includes(value as number)),
  lang: expect.any(String),
  mailAddress: expect.any(String),
  lastLoginTime: aTimestamp,
  vendorAccount: {
    vendorId: expect.stringMatching(/./),
    name: expect.any(String),
    uniqueId: expect.any(String),
  },
});

/** Matches a user as activities show it. */
export const activityUserShape = (person: Pick<Person, 'id' | 'name'>): object => {
  const { lastLoginTime: _, vendorAccount: __, ...shape } = userShape(person) as Record<string, unknown>;
  return shape;
};

/** Matches every field of a comment (`docs/protocol.md#comment`) and no other. */
export const commentShape = (
  author: Pick<Person, 'id' | 'name'>,
  fields: { id?: number; content: string; changeLog?: object[]; stars?: object[]; notifications?: object[] },
): object => ({
  id: anId,
  changeLog: [],
  createdUser: userShape(author),
  created: aTimestamp,
  updated: aTimestamp,
  stars: [],
  notifications: [],
  ...fields,
});

/** Matches a comment on an issue as operations outside the contract show it. */
export const issueCommentShape = (
  issue: { projectId: number; issueId: number },
  ...[author, fields]: Parameters<typeof commentShape>
): object => ({
  ...commentShape(author, fields),
  projectId: issue.projectId,
  issueId: issue.issueId,
});

/** Matches every field of an unread notification (`docs/protocol.md#comment`) and no other. */
export const notificationShape = (person: Pick<Person, 'id' | 'name'>, reason: number): object => ({
  id: anId,
  alreadyRead: false,
  reason,
  user: userShape(person),
  resourceAlreadyRead: false,
});

/** Returns the change log entry of a field. */
export const changeEntry = (field: string, newValue: string, originalValue: string): object => ({
  field,
  newValue,
  originalValue,
  attachmentInfo: null,
  attributeInfo: null,
  notificationInfo: null,
});

/** Returns the change log entry of a notified user. */
export const notificationEntry = (person: Pick<Person, 'name'>, type = 'issue.comment'): object => ({
  ...changeEntry('notification', person.name, ''),
  notificationInfo: { type },
});

/** Returns the change log entry of an attached file. */
export const attachmentEntry = (file: { id: number; name: string }): object => ({
  ...changeEntry('attachment', file.name, ''),
  attachmentInfo: file,
});

/** Returns the entry of a changed field in activities. */
export const activityChange = (field: string, newValue: string, oldValue = ''): object => ({
  field,
  new_value: newValue,
  old_value: oldValue,
  type: 'standard',
});

/** Matches an error body (`docs/protocol.md#error`) whose entries all have the code, and concern these fields in any order. */
export const errorShape = (code: number, fields?: string[]): object => ({
  errors: fields
    ? satisfying(`errors of code ${code} about ${fields.join(', ')}`, (value) => {
        const errors = value as { code: number; moreInfo: string; message: string }[];
        return (
          errors.every((error) => error.code === code && isErrorDetail(error)) &&
          JSON.stringify(errors.map((error) => error.moreInfo).sort()) === JSON.stringify([...fields].sort())
        );
      })
    : [{ code, message: expect.stringMatching(/^\S.*\.$/s), moreInfo: expect.any(String) }],
});

const isErrorDetail = (error: object): boolean =>
  Object.keys(error).sort().join() === 'code,message,moreInfo' &&
  isNamingMessage(error as { message: string; moreInfo: string });

/** Whether the message is a sentence that names the field or the hint, for clients that show nothing else. */
const isNamingMessage = ({ message, moreInfo }: { message: string; moreInfo: string }): boolean =>
  /^\S.*\.$/s.test(message) && moreInfo.split(', ').every((field) => message.includes(field));
