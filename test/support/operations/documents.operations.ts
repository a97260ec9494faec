import { DocumentsService } from '../../../src/documents/documents.service';
import { DocumentCommentsService } from '../../../src/documents/comments/document-comments.service';
import { newUid } from '../../../src/documents/uid';
import { type Person, type ProjectFixture, type World } from '../world';
import {
  DEVELOPERS,
  EVERYONE,
  type OperationCases,
  PROJECT_ADMINISTRATORS,
  theProject,
  times,
} from './operation-case';

const TEXT = { json: '{"type":"doc","content":[{"type":"paragraph"}]}', plain: '' };

interface Added {
  id: number;
  uid: string;
  threadId: number;
}

/** Adds a document by a user, bypassing the access rules. */
function addDocument(
  world: World,
  project: { id: number },
  author: { id: number },
  parentUid: string | null = null,
): Promise<Added> {
  return world.write((manager) =>
    world.service(DocumentsService).add(manager, {
      projectId: project.id,
      title: world.uniqueName('Document'),
      emoji: null,
      text: TEXT,
      createdUserId: author.id,
      destination: { parentUid, last: true },
    }),
  );
}

async function addComment(world: World, project: ProjectFixture, author: { id: number }, document: Added) {
  const uid = newUid();
  const { threadId } = document;
  await world
    .service(DocumentCommentsService)
    .write({ projectId: project.id, threadId, uid }, author, 'A comment');
  return uid;
}

async function attach(world: World, documentId: string, person: Person): Promise<number> {
  const attachmentId = await world.addUpload(person);
  await person.api.post(`/documents/${documentId}/attachments`, { attachmentId: [attachmentId] });
  return attachmentId;
}

const aDocument = async (world: World, project: ProjectFixture, owner: Person) => ({
  documentId: (await addDocument(world, project, owner)).uid,
});

const aComment = async (world: World, project: ProjectFixture, owner: Person) => {
  const document = await addDocument(world, project, world.admin);
  const documentCommentId = await addComment(world, project, owner, document);
  return { documentId: document.uid, documentCommentId };
};

const fillProject = (world: World, project: ProjectFixture, count: number): Promise<void> =>
  times(count, async () => {
    const person = await world.addMember(project);
    const { uid } = await addDocument(world, project, person);
    await addDocument(world, project, person, uid);
    await attach(world, uid, person);
    await person.api.post(`/documents/${uid}/tags`, { tagNames: [world.uniqueName('tag')] });
  });

const READ_PROJECT = { right: EVERYONE, scope: 'project', names: theProject } as const;
const CHANGE_DOCUMENT = { right: DEVELOPERS, scope: 'project', names: aDocument } as const;
const OF_FILE = {
  scope: 'project',
  names: async (world: World, project: ProjectFixture) => {
    const { uid } = await addDocument(world, project, world.admin);
    return { documentId: uid, attachmentId: await attach(world, uid, world.admin) };
  },
} as const;

export const documentOperations: OperationCases = {
  listDocuments: { right: EVERYONE, scope: 'space', list: { fill: fillProject } },
  countDocuments: READ_PROJECT,
  getDocumentTree: { ...READ_PROJECT, list: { fill: fillProject } },
  addDocument: {
    right: DEVELOPERS,
    scope: 'space',
    body: async (world, person) => {
      const project = await world.addProject();
      await world.join(project, person);
      return { projectId: project.id, title: 'Document', content: '# Text', addLast: true };
    },
  },
  getDocument: {
    ...CHANGE_DOCUMENT,
    right: EVERYONE,
    list: {
      fill: (world, project, count, { documentId }) =>
        times(count, async () => {
          const person = await world.addMember(project);
          await attach(world, documentId as string, person);
          await addDocument(world, project, person, documentId as string);
          const tagNames = [world.uniqueName('tag')];
          await person.api.post(`/documents/${documentId as string}/tags`, { tagNames });
        }),
    },
  },
  updateDocument: {
    ...CHANGE_DOCUMENT,
    body: (world) => ({ title: world.uniqueName('Document'), content: 'Other text' }),
  },
  deleteDocument: { ...CHANGE_DOCUMENT, right: PROJECT_ADMINISTRATORS },
  addDocumentTags: { ...CHANGE_DOCUMENT, body: (world) => ({ tagNames: [world.uniqueName('tag')] }) },
  deleteDocumentTags: { ...CHANGE_DOCUMENT, body: () => ({ tagNames: ['guide'] }) },
  attachFilesToDocument: {
    ...CHANGE_DOCUMENT,
    body: async (world, person) => ({ attachmentId: [await world.addUpload(person)] }),
  },
  downloadDocumentAttachment: { ...OF_FILE, right: EVERYONE },
  deleteDocumentAttachment: { ...OF_FILE, right: DEVELOPERS },
  listDocumentComments: {
    ...CHANGE_DOCUMENT,
    list: {
      fill: (world, project, count, { documentId }) =>
        times(count, async () => {
          const { api } = await world.addMember(project);
          const path = `/documents/${documentId as string}/comments`;
          const { body } = await api.post(path, { content: world.uniqueName('Comment') });
          await api.post(path, { content: world.uniqueName('Answer'), commentId: body.id });
        }),
    },
  },
  addDocumentComment: { ...CHANGE_DOCUMENT, body: () => ({ content: 'A comment' }) },
  updateDocumentComment: {
    right: { ...DEVELOPERS, ownerOnly: true },
    scope: 'project',
    names: aComment,
    body: () => ({ content: 'Another text' }),
  },
  deleteDocumentComment: {
    right: { ...PROJECT_ADMINISTRATORS, orOwner: DEVELOPERS.roles },
    scope: 'project',
    names: aComment,
  },
};
