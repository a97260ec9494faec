import fc, { type Arbitrary } from 'fast-check';
import { type ApiClient } from './api';
import { aPicture } from './pictures';

/** One change of the stored data, made over HTTP. */
export type Change = (
  api: ApiClient,
  names: ReadonlyMap<string, readonly (string | number)[]>,
) => Promise<void>;

const LETTERS = [
  'a',
  'Z',
  '0',
  'é',
  'ß',
  '😀',
  '𝒳',
  '漢',
  '\u2028',
  '\u202e',
  '"',
  "'",
  '\\',
  '\n',
  '\t',
  '%',
  '<',
  ' ',
];
const text = fc
  .string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 60 })
  .map((letters) => `x${letters}x`);
const name = text.map((letters) => letters.replace(/\s/g, '_'));
const day = fc.integer({ min: 1, max: 28 }).map((date) => `2027-02-${String(date).padStart(2, '0')}`);
const hours = fc.integer({ min: 0, max: 9999 }).map((hundredths) => hundredths / 100);
const position = fc.nat(1000);

const at = <Item>(items: readonly Item[] | undefined, index: number): Item => {
  if (!items || items.length === 0) throw new Error('There is nothing to change.');
  return items[index % items.length] as Item;
};

/** Sends a request. Refusals are expected, errors of the server are not. */
async function send(api: ApiClient, method: string, path: string, body?: object): Promise<any> {
  const answer = await api.send(method, path, body);
  if (answer.status >= 500) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

/** Generates a change of any kind. */
export const change: Arbitrary<Change> = fc.oneof(
  fc.record({ index: position, text, hours, day }).map((given): Change => async (api, names) => {
    const projectId = at(names.get('projectId'), given.index);
    const [type] = await send(api, 'GET', `/projects/${projectId}/issueTypes`);
    await send(api, 'POST', '/issues', {
      projectId,
      issueTypeId: type.id,
      priorityId: 3,
      summary: given.text.replace(/\s/g, ' '),
      description: given.text,
      estimatedHours: given.hours,
      dueDate: given.day,
    });
  }),
  fc.record({ index: position, text }).map((given): Change => async (api, names) => {
    await send(api, 'POST', `/issues/${at(names.get('issueId'), given.index)}/comments`, {
      content: given.text,
    });
  }),
  fc
    .record({ index: position, text, status: fc.integer({ min: 1, max: 4 }) })
    .map((given): Change => async (api, names) => {
      const path = `/issues/${at(names.get('issueId'), given.index)}`;
      await send(api, 'PATCH', path, { statusId: given.status, comment: given.text });
    }),
  fc.record({ index: position, name }).map((given): Change => async (api, names) => {
    const path = `/projects/${at(names.get('projectId'), given.index)}/categories`;
    const { id } = await send(api, 'POST', path, { name: given.name });
    // Leaves the last assigned id without an item.
    if (id !== undefined && given.index % 2 === 0) await send(api, 'DELETE', `${path}/${id}`);
  }),
  fc.record({ index: position, text, name }).map((given): Change => async (api, names) => {
    const path = `/wikis/${at(names.get('wikiId'), given.index)}`;
    await send(api, 'PATCH', path, { name: given.name, content: given.text });
  }),
  fc
    .record({ index: position, bytes: fc.uint8Array({ minLength: 1, maxLength: 3000 }), name })
    .map((given): Change => async (api, names) => {
      const { body } = await api.upload<{ id: number }>(new Uint8Array(given.bytes), `${given.name}.bin`);
      const path = `/wikis/${at(names.get('wikiId'), given.index)}/attachments`;
      await send(api, 'POST', path, { attachmentId: [body.id] });
    }),
  fc
    .record({ index: position, width: fc.integer({ min: 1, max: 2048 }), isGiven: fc.boolean() })
    .map((given): Change => async (api, names) => {
      const path = `/projects/${at(names.get('projectId'), given.index)}/image`;
      const form = new FormData();
      form.set('file', new Blob([aPicture('gif', given.width, 1)]), 'icon');
      await send(api, given.isGiven ? 'PUT' : 'DELETE', path, given.isGiven ? form : undefined);
    }),
  fc.record({ text }).map((given): Change => async (api) => {
    await send(api, 'PUT', '/space/notification', { content: given.text });
  }),
  fc
    .record({ index: position, bytes: fc.uint8Array({ minLength: 1, maxLength: 3000 }), name })
    .map((given): Change => async (api, names) => {
      const form = new FormData();
      form.set('path', given.index % 3 === 0 ? '' : given.name);
      form.set('file', new Blob([new Uint8Array(given.bytes)]), `${given.index % 7}.bin`);
      const { id } = await send(
        api,
        'POST',
        `/projects/${at(names.get('projectId'), given.index)}/files`,
        form,
      );
      if (id === undefined) return;
      const fileId = [id];
      await send(api, 'POST', `/issues/${at(names.get('issueId'), given.index)}/sharedFiles`, { fileId });
    }),
  fc.record({ index: position, text, name }).map((given): Change => async (api, names) => {
    const path = `/documents/${at(names.get('documentId'), given.index)}`;
    await send(api, 'PATCH', path, { title: given.name, content: given.text });
    await send(api, 'POST', `${path}/tags`, { tagNames: [given.name] });
    await send(api, 'POST', `${path}/comments`, { content: `${given.name}: ${given.text}` });
  }),
  fc.record({ index: position }).map((given): Change => async (api, names) => {
    await send(api, 'POST', '/stars', { issueId: at(names.get('issueId'), given.index) });
  }),
  fc.record({ index: position, name, day }).map((given): Change => async (api, names) => {
    const path = `/projects/${at(names.get('projectId'), given.index)}/versions`;
    await send(api, 'POST', path, { name: given.name, startDate: given.day });
  }),
);
